"""Runs the pipelines of a registry on this machine: their own lines, in their own order.

A small interpreter of what the workflows use of GitHub Actions and GitLab CI. Shell lines are run
as they stand, by bash as a runner starts it. Actions are replaced by what they do: a checkout, the
hand-over of a site. `python -m venv` makes a folder whose `pip` only notes what it was asked for
and whose `psreg` is the one under test, forked from a process that has imported it. Everything else
is an error of the test.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from support import warm_server
from support.warm_psreg import socket_path

ISOLATED = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}

OURS = ("user.name=Ana", "user.email=ana@example.org", "maintenance.auto=false", "gc.auto=0")
"""A new repository has nothing to tidy up, and asking whether it has takes two more processes."""

PYTHON = """\
#!/bin/bash
if [ "$1 $2" != "-m venv" ]; then exec {python} -P "$@"; fi
mkdir -p "$3/bin"
cat > "$3/bin/pip" <<'END'
#!/bin/bash
echo "pip $*" >> {log}
while [ $# -gt 0 ]; do
  if [ "$1" = --requirement ]; then cat "$2" >> {log} || exit 1; fi
  shift
done
END
printf '#!/bin/bash\\nexec {psreg} "$@"\\n' > "$3/bin/psreg"
chmod +x "$3/bin/pip" "$3/bin/psreg"
"""


def git(*args: str, cwd: Path, **env: str) -> str:
    """Run git without anybody's settings and return what it said."""
    done = subprocess.run(
        ["git", *(word for each in OURS for word in ("-c", each)), *args],
        cwd=cwd,
        env={**os.environ, **ISOLATED, **env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"git {args}: {done.stderr}"
    return done.stdout.strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What one job said and left."""

    code: int
    out: str
    folder: Path
    site: Path | None = None

    @property
    def summary(self) -> str:
        """The page that a job of GitHub leaves for people."""
        return (self.folder.parent / "temporary/summary.md").read_text(encoding="utf-8")


@dataclass(slots=True, kw_only=True)
class Runner:
    """A machine that runs jobs, each in a fresh folder."""

    root: Path
    origin: Path
    environ: dict[str, str] = field(default_factory=dict)
    jobs: int = 0
    cold: bool = False
    """Whether `psreg` is started by Python, which takes longer: for tests of what that reads."""

    @property
    def installed(self) -> str:
        """What `pip` was asked for, and the files it was given."""
        log = self.root / "pip.log"
        return log.read_text() if log.is_file() else ""

    def fresh(self) -> tuple[Path, Path]:
        """Return an empty workspace and an empty folder for temporary files."""
        self.jobs += 1
        folder = self.root / f"job-{self.jobs}"
        workspace, temporary = folder / "workspace", folder / "temporary"
        workspace.mkdir(parents=True)
        temporary.mkdir()
        return workspace, temporary

    def shell(self, script: str, workspace: Path, env: Mapping[str, str]) -> tuple[int, str]:
        """Run lines as both forges' runners do: bash, stop at the first failure."""
        tools = self.root / "bin"
        if not tools.is_dir():
            tools.mkdir(parents=True)
            psreg = f"{sys.executable} -I -S {warm_server.__file__} {socket_path()}"
            if self.cold:
                psreg = f"{sys.executable} -P -m psreg"
            shim = PYTHON.format(python=sys.executable, psreg=psreg, log=self.root / "pip.log")
            for name in ("python", "python3"):
                (tools / name).write_text(shim)
                (tools / name).chmod(0o755)
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=workspace,
            env={
                "CI": "true",
                "HOME": str(self.root / "home"),
                "LANG": "C.UTF-8",
                "PATH": f"{tools}:{os.environ['PATH']}",
                "PYTHONWARNINGS": "ignore",
                "TMPDIR": str(workspace.parent / "temporary"),
                **ISOLATED,
                **self.environ,
                **env,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=300,
            text=True,
            check=False,
        )
        assert "Traceback" not in done.stdout, done.stdout
        return done.returncode, done.stdout


# GitHub Actions

_EXPRESSION = re.compile(r"\$\{\{ ([a-z_.]+(?: \|\| [a-z_.]+)*) \}\}", re.IGNORECASE)
_CONDITION = re.compile(r"([a-z_.]+) == '([^']*)'", re.IGNORECASE)
_FILES = ("GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH")
"""Through which a step could change later ones; no step of ours writes to them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Why a workflow runs: the event's name, what it says, and the commit it is about."""

    name: str
    payload: Mapping[str, Any]
    sha: str


class GitHubActions:
    """Runs workflows of one repository."""

    def __init__(self, runner: Runner, api: str, repository: str) -> None:
        self.runner, self.api, self.repository = runner, api, repository
        self.token = ""
        self.secrets: dict[str, str] = {}
        self.variables: dict[str, str] = {}

    def run(self, workflow: Path, event: Event) -> dict[str, Done]:
        """Run the jobs of a workflow, in order; stop at the first that fails."""
        document = yaml.safe_load(workflow.read_text(encoding="utf-8"))
        done: dict[str, Done] = {}
        for name, job in document["jobs"].items():
            needs = job.get("needs")
            if needs and needs not in done:
                continue
            workspace, temporary = self.runner.fresh()
            context = self._context(event, temporary)
            if "if" in job and not _holds(job["if"], context):
                continue
            site = done[needs].site if needs else None
            env = _filled(document.get("env", {}), context) | _filled(job.get("env", {}), context)
            done[name] = self._job(
                job, event, context=context, env=env, workspace=workspace, site=site
            )
            if done[name].code:
                break
        return done

    def _context(self, event: Event, temporary: Path) -> dict[str, Any]:
        return {
            "github": {
                "event": event.payload,
                "event_name": event.name,
                "token": self.token,
            },
            "runner": {"temp": str(temporary)},
            "secrets": self.secrets,
            "vars": self.variables,
        }

    def _job(
        self,
        job: Mapping[str, Any],
        event: Event,
        *,
        context: Mapping[str, Any],
        env: Mapping[str, str],
        workspace: Path,
        site: Path | None,
    ) -> Done:
        temporary = workspace.parent / "temporary"
        files = {name: str(temporary / name) for name in _FILES}
        payload = temporary / "event.json"
        payload.write_text(json.dumps(event.payload))
        job_env = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": self.api,
            "GITHUB_EVENT_NAME": event.name,
            "GITHUB_EVENT_PATH": str(payload),
            "GITHUB_REPOSITORY": self.repository,
            "GITHUB_RUN_ID": "99",
            "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_SHA": event.sha,
            "GITHUB_STEP_SUMMARY": str(temporary / "summary.md"),
            "GITHUB_WORKSPACE": str(workspace),
            "RUNNER_TEMP": str(temporary),
            **files,
            **env,
        }
        said, failed = "", 0
        for step in job["steps"]:
            when = step.get("if", "success()")
            if not {"success()": not failed, "failure()": failed, "always()": True}[when]:
                continue
            if "uses" in step:
                settings = _filled(step.get("with", {}), context)
                site = self._use(step["uses"], settings, event, workspace, site)
                continue
            step_env = job_env | _filled(step.get("env", {}), context)
            code, out = self.runner.shell(step["run"], workspace, step_env)
            said += f"== {step['name']}\n{out}"
            failed = failed or code
            assert not any(Path(path).exists() for path in files.values()), step
        return Done(code=failed, out=said, folder=workspace, site=None if failed else site)

    def _use(
        self,
        action: str,
        settings: Mapping[str, str],
        event: Event,
        workspace: Path,
        site: Path | None,
    ) -> Path | None:
        name = action.partition("@")[0]
        if name == "actions/checkout":
            assert settings.pop("persist-credentials") == "False"  # type: ignore[attr-defined]
            self._checkout(settings, event, workspace)
        elif name == "actions/upload-artifact":
            assert Path(settings["path"]).parent == workspace.parent / "temporary"
        elif name == "actions/upload-pages-artifact":
            return workspace / settings["path"]
        elif name not in ("actions/setup-python", "actions/deploy-pages"):
            raise AssertionError(f"no stand-in for {action}")
        return site

    def _checkout(self, settings: Mapping[str, str], event: Event, workspace: Path) -> None:
        ref = settings.get("ref") or event.sha
        depth = () if settings.get("fetch-depth") == "0" else ("--depth=1",)
        git("init", "-q", cwd=workspace)
        git("remote", "add", "origin", self.runner.origin.as_uri(), cwd=workspace)
        branches = () if depth else ("+refs/heads/*:refs/remotes/origin/*",)
        git("fetch", "-q", *depth, "origin", *branches, ref, cwd=workspace)
        tip = git("rev-parse", f"origin/{ref}", cwd=workspace) if ref == "main" else ref
        git("checkout", "-q", "--detach", tip, cwd=workspace)


def used(runner: Runner, action: Path, inputs: Mapping[str, str], workspace: Path) -> Done:
    """Run the steps of a composite action in a workspace, as a job that uses it does."""
    document = yaml.safe_load(action.read_text(encoding="utf-8"))
    defaults = {key: str(value.get("default", "")) for key, value in document["inputs"].items()}
    context = {"inputs": defaults | dict(inputs)}
    _, temporary = runner.fresh()
    said = ""
    for step in document["runs"]["steps"]:
        env = {"GITHUB_ACTION_PATH": str(action.parent), "RUNNER_TEMP": str(temporary)}
        env |= _filled(step.get("env", {}), context)
        code, out = runner.shell(step["run"], workspace, env)
        said += out
        if code:
            return Done(code=code, out=said, folder=workspace)
    return Done(code=0, out=said, folder=workspace)


def _value(path: str, context: Mapping[str, Any]) -> str:
    first, _, others = path.partition(" || ")
    if others:
        return _value(first, context) or _value(others, context)
    value: Any = context
    for key in path.split("."):
        value = value.get(key, "") if isinstance(value, Mapping) else ""
    return str(value)


def _filled(table: Mapping[str, Any], context: Mapping[str, Any]) -> dict[str, str]:
    return {
        key: _EXPRESSION.sub(lambda match: _value(match[1], context), str(value))
        for key, value in table.items()
    }


def _holds(condition: str, context: Mapping[str, Any]) -> bool:
    first, _, others = condition.partition(" || ")
    if others:
        return _holds(first, context) or _holds(others, context)
    match = _CONDITION.fullmatch(condition)
    assert match, f"no such condition is understood: {condition}"
    return _value(match[1], context) == match[2]


# GitLab CI


class GitLabCI:
    """Runs pipelines of one project. `variables` are those that everybody's pipelines see."""

    def __init__(self, runner: Runner, api: str, project: int) -> None:
        self.runner = runner
        self.variables = {
            "GITLAB_CI": "true",
            "CI_API_V4_URL": api,
            "CI_DEFAULT_BRANCH": "main",
            "CI_JOB_URL": "https://gitlab.example/keepers/prompts/-/jobs/99",
            "CI_PROJECT_ID": str(project),
            "CI_PROJECT_URL": str(runner.origin).removesuffix(".git"),
        }
        self.protected: dict[str, str] = {}

    def run(self, file: Path, source: str, sha: str, **more: str) -> dict[str, Done]:
        """Run the jobs of a pipeline; on the default branch they see protected variables."""
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
        variables = self.variables | {"CI_PIPELINE_SOURCE": source, "CI_COMMIT_SHA": sha} | more
        if source != "merge_request_event":
            variables |= {"CI_COMMIT_BRANCH": "main"} | self.protected
        variables = _expanded(document["variables"], variables) | variables
        assert _chosen(document["workflow"]["rules"], variables) is not None
        done: dict[str, Done] = {}
        for stage in document["stages"]:
            for name, job in document.items():
                if not isinstance(job, dict) or job.get("stage") != stage:
                    continue
                chosen = _chosen(job["rules"], variables)
                if chosen is not None:
                    own = variables | _expanded(job.get("variables", {}), variables) | chosen
                    done[name] = self._job(job, own)
        return done

    def _job(self, job: Mapping[str, Any], variables: Mapping[str, str]) -> Done:
        workspace, _ = self.runner.fresh()
        git("init", "-q", cwd=workspace)
        git("remote", "add", "origin", self.runner.origin.as_uri(), cwd=workspace)
        sha = variables["CI_COMMIT_SHA"]
        depth = () if variables.get("GIT_DEPTH") == "0" else ("--depth=1",)
        git("fetch", "-q", *depth, "origin", sha, cwd=workspace)
        if variables.get("GIT_CHECKOUT") != "false":
            git("checkout", "-q", "--detach", sha, cwd=workspace)
        script = "\n".join(line.rstrip("\n") for line in job["script"])
        code, out = self.runner.shell(script, workspace, variables)
        if code in job.get("allow_failure", {}).get("exit_codes", []):
            code, out = 0, f"{out}allowed to fail: {code}\n"
        handed_over = "public" in job.get("artifacts", {}).get("paths", []) and not code
        site = workspace / "public" if handed_over else None
        return Done(code=code, out=out, folder=workspace, site=site)


def _expanded(table: Mapping[str, Any], variables: Mapping[str, str]) -> dict[str, str]:
    def fill(match: re.Match[str]) -> str:
        return variables.get(match[1], "")

    return {key: re.sub(r"\$([A-Z_0-9]+)", fill, str(value)) for key, value in table.items()}


def _chosen(rules: list[Mapping[str, Any]], variables: Mapping[str, str]) -> dict[str, str] | None:
    """Return the variables of the first rule that holds, None if the job does not run."""
    for rule in rules:
        if any(_all_hold(part, variables) for part in rule["if"].split(" || ")):
            never = rule.get("when") == "never"
            return None if never else _expanded(rule.get("variables", {}), variables)
    return None


def _all_hold(text: str, variables: Mapping[str, str]) -> bool:
    for term in text.split(" && "):
        if re.fullmatch(r"\$[A-Z_]+", term):
            if not _side(term, variables):
                return False
            continue
        match = re.fullmatch(r"(\S+) (==|!=) (\S+)", term)
        assert match, f"no such rule is understood: {term}"
        left, right = (_side(side, variables) for side in (match[1], match[3]))
        if (left == right) != (match[2] == "=="):
            return False
    return True


def _side(side: str, variables: Mapping[str, str]) -> str:
    return variables.get(side[1:], "") if side.startswith("$") else side.strip('"')


def lines(file: Path) -> Iterator[str]:
    """Yield every shell text of a workflow, an action or a `.gitlab-ci.yml`."""
    document = yaml.safe_load(file.read_text(encoding="utf-8"))
    jobs = (
        document.get("jobs") or {"runs": document.get("runs")} if "stages" not in document else {}
    )
    for job in jobs.values():
        yield from (step["run"] for step in job["steps"] if "run" in step)
    if "stages" in document:
        for job in document.values():
            yield from job.get("script", []) if isinstance(job, dict) else []


def copy_tree(source: Path, target: Path) -> None:
    """Copy a folder's files over another's."""
    shutil.copytree(source, target, dirs_exist_ok=True)
