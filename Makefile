# Every target is one or two commands that a person could type.

PYTHON ?= python3
SERVE ?= 1

# A PYTHONPATH of other work must not put its modules before those installed in .venv.
unexport PYTHONPATH

.PHONY: demo check test bench clean

demo: .venv/installed  ## the main job, from an authored prompt to an installed one
	.venv/bin/python tests/demo.py $(if $(filter 0,$(SERVE)),--exit,)

check: .venv/installed-dev  ## what a change needs first, in a minute
	.venv/bin/python tests/run.py --check

test: .venv/installed-dev  ## everything CI runs
	.venv/bin/python tests/run.py

bench: .venv/installed-dev
	.venv/bin/python tests/bench/run.py all --json

clean:
	rm -rf .venv _site

.venv/bin/python:
	$(PYTHON) -m venv .venv

# The files name every package, so nothing is resolved: pip would look for `coverage[toml]` before it
# saw the pinned `coverage`, and refuse the newest one for its missing hash.
.venv/installed: .ci/constraints.txt pyproject.toml | .venv/bin/python
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --requirement .ci/constraints.txt
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable . && touch $@

.venv/installed-dev: .ci/constraints-dev.txt .venv/installed
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --requirement .ci/constraints-dev.txt && touch $@
