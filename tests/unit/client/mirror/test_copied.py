"""What a mirror has, in which order, and what is refused."""

import pytest

from psreg.client.mirror.copied import copied, verified_state
from psreg.core.errors import PsregError
from simulator import METADATA, Simulator
from support.owners import Owner
from support.simulated_owners import SimulatedOwners

STAMP = f"{METADATA}timestamp.json"


class Registry:
    """Implements `Files` for a mirror that has the first `roots` roots."""

    def __init__(self, simulator, roots=0):
        self.files, self.roots = {**simulator.files}, roots

    def read(self, path, limit):
        data = self.files.get(path)
        assert data is None or len(data) <= limit
        return data

    newest = read


@pytest.fixture
def simulator():
    made = Simulator(log=True).release()
    made.release("words", data=b"[CONTENT]\nwords\n", entry_class="prompt")
    requires = {"requires": {"words": "*", "exam": "*"}}
    for name in ("exam", "lesson"):
        data = f"[CONTENT]\n{name}\n".encode()
        made.release(name, data=data, entry_class="prompt", release=requires)
    return made.publish()


def mirror(simulator, *only, roots=0, change=None):
    files = Registry(simulator, roots)
    if change is not None:
        change(files.files)
    state = verified_state(files, simulator.pin)
    keys = [simulator.log.key] if simulator.log else []
    found = copied(state, files, keys, only)
    # The simulator does not serve the copy of the checkpoint for monitors.
    return [(path, data) for path, data in found if path != "registry/log/checkpoint"]


def code_of(simulator, change):
    with pytest.raises(PsregError) as caught:
        mirror(simulator, change=change)
    return caught.value.code


def test_everything_is_yielded_once_and_the_timestamp_last(simulator):
    found = mirror(simulator)
    assert dict(found) == simulator.files
    assert len(found) == len(simulator.files)
    assert found[-1][0] == STAMP


def test_what_lists_something_follows_it(simulator):
    paths = [path for path, _ in mirror(simulator)]
    kinds = ["pbes/", "registry/targets/pkg", f"{METADATA}1.", STAMP]
    first = [min(at for at, path in enumerate(paths) if path.startswith(kind)) for kind in kinds]
    assert first == sorted(first)


def test_only_some_names_and_what_they_require(simulator):
    paths = [path for path, _ in mirror(simulator, "exam")]
    artifacts = [path.split("/")[2] for path in paths if path.startswith("pbes/")]
    assert sorted(artifacts) == ["exam", "words"]


def test_a_registry_without_a_log(simulator):
    plain = Simulator().release().publish()
    assert dict(mirror(plain)) == plain.files


def test_roots_follow_the_timestamp_where_both_fit(simulator):
    simulator.root.version += 1
    simulator.write_root()
    assert mirror(simulator, roots=1)[-1][0] == f"{METADATA}2.root.json"
    paths = [path for path, _ in mirror(simulator)]
    assert paths[-1] == STAMP
    assert f"{METADATA}2.root.json" in paths


def test_what_was_purged_is_not_there(simulator):
    row = simulator.records["words"]["releases"][0]
    withdrawn = {
        "action": 1,
        "kind": "purge",
        "reason": "a secret",
        "date": "2026-11-21T05:00:00Z",
    }
    row |= {"revoked": withdrawn, "v": 2}
    gone = row["path"]
    simulator.publish()
    assert gone not in [path for path, _ in mirror(simulator)]


def first(files, beginning):
    return next(path for path in files if path.startswith(beginning))


@pytest.mark.parametrize(
    ("beginning", "missing", "false"),
    [
        ("pbes/", "TRUST_DIGEST", "TRUST_DIGEST"),
        ("registry/targets/pkg/", "TRUST_MIXED", "TRUST_DIGEST"),
        ("registry/targets/segments/", "TRUST_DIGEST", "TRUST_DIGEST"),
        ("registry/log/tile/entries", "TRUST_LOG", "TRUST_LOG"),
        (STAMP, "TRUST_MIXED", "TRUST_METADATA"),
    ],
)
def test_what_is_missing_or_false_is_refused(simulator, beginning, missing, false):
    assert code_of(simulator, lambda files: files.pop(first(files, beginning))) == missing

    def changed(files):
        path = first(files, beginning)
        files[path] = files[path][:-1] + b"x"

    assert code_of(simulator, changed) == false


def test_another_root_is_refused(simulator):
    other = Simulator().release().publish()
    with pytest.raises(PsregError) as caught:
        verified_state(Registry(other), simulator.pin)
    assert caught.value.code == "TRUST_PIN"


def test_a_name_that_is_not_there_is_told(simulator):
    with pytest.raises(PsregError) as caught:
        mirror(simulator, "exams")
    assert caught.value.code == "UNKNOWN_NAME"
    assert "`exam`" in caught.value.hint


def test_claims_are_there_of_the_names_that_are(simulator):
    ana = Owner(1)
    SimulatedOwners(simulator).claim("words", ana).claim("lesson", ana)
    simulator.publish()
    claimed = [path for path, _ in mirror(simulator, "exam") if "/targets/owners/" in path]
    assert [path.rpartition(".")[0].rpartition(".")[2] for path in claimed] == ["words"]
    assert len([path for path, _ in mirror(simulator) if "/targets/owners/" in path]) == 2
