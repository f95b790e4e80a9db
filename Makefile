# Every target is one or two commands that a person could type.

PYTHON ?= python3
SERVE ?= 1

.PHONY: demo test lint bench clean

demo: .venv/installed  ## the main job, from an authored prompt to an installed one
	.venv/bin/python tests/demo.py $(if $(filter 0,$(SERVE)),--exit,)

test: .venv/installed-dev  ## everything CI runs
	.venv/bin/python tests/run.py

lint: .venv/installed-dev
	.venv/bin/ruff check && .venv/bin/ruff format --check
	.venv/bin/mypy && .venv/bin/lint-imports

bench: .venv/installed-dev
	.venv/bin/python tests/bench/run.py all --json

clean:
	rm -rf .venv _site

.venv/bin/python:
	$(PYTHON) -m venv .venv

# --require-hashes needs every package in the file; psreg itself is then linked without its own.
.venv/installed: .ci/constraints.txt pyproject.toml | .venv/bin/python
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement .ci/constraints.txt
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable . && touch $@

.venv/installed-dev: .ci/constraints-dev.txt .venv/installed
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement .ci/constraints-dev.txt && touch $@
