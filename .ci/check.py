"""Run the README's test command, all tests again in random order, and every group of tests that needs more packages.

    python3 .ci/check.py                 everything
    python3 .ci/check.py browser speech  some steps only (dev.py test must have run before)

Groups are declared in pyproject.toml ([tool.karat.groups]). System packages come from apt, which needs root; Python
packages go into environments of their own in the cache directory, kept for two weeks unless their packages change.
A test that is skipped is a failure, unless CANNOT_RUN lists its reason.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
import tomllib
import venv
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
GROUPS = PROJECT["tool"]["karat"]["groups"]
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "karat-ci"
REPORTS = ROOT / ".test-reports"
KEPT = 14 * 24 * 3600  # seconds until an environment is made anew, so that new releases are met
TOTAL = 82 * 60  # seconds for everything; .ci/run has a limit of its own a little later
CANNOT_RUN: dict[str, str] = {}  # the reason of a skip: why it cannot be helped


@dataclass
class Outcome:
    """How the tests of one step ended."""

    name: str
    seconds: float = 0.0
    passed: int = 0
    failed: list[str] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)  # the test and the reason

    @property
    def wrong(self) -> list[str]:
        """What makes this step a failure."""
        needless = [f"{test} was skipped: {why}" for test, why in self.skipped if why not in CANNOT_RUN]
        empty = [] if self.passed or self.failed else ["no test ran"]
        return [*self.failed, *needless, *empty]


def main(wanted: list[str]) -> int:
    """Run the steps and print how they ended; the exit status."""
    steps = {"readme": readme, "shuffled": shuffled, **dict.fromkeys(GROUPS, group)}
    if unknown := set(wanted) - set(steps):
        sys.exit(f"there is no step {', '.join(sorted(unknown))}; there are {', '.join(steps)}")
    os.environ["CI"] = "true"
    shutil.rmtree(REPORTS, ignore_errors=True)
    REPORTS.mkdir(parents=True)
    start = time.monotonic()
    outcomes = []
    for name in wanted or list(steps):
        left = TOTAL - (time.monotonic() - start)
        print(f"\n== {name} ({time.monotonic() - start:.0f} s so far)", flush=True)
        if left < 30:
            outcomes.append(Outcome(name, failed=[f"not started: {TOTAL / 60:.0f} minutes are over"]))
            continue
        began = time.monotonic()
        outcome = steps[name](name, left)
        outcome.seconds = time.monotonic() - began
        outcomes.append(outcome)
    return summary(outcomes)


def readme(name: str, left: float) -> Outcome:
    """The test command of the README, as a newcomer runs it."""
    return tested(name, ["python3", "dev.py", "test"], min(left, 30 * 60))


def shuffled(name: str, left: float) -> Outcome:
    """The same tests in random order, with more examples, and with coverage measured."""
    seed = int(time.time()) % 100_000
    print(f"order: --shuffle {seed}", flush=True)
    command = [str(ROOT / ".venv/bin/pytest"), "-n", "auto", "--dist", "worksteal", "--shuffle", str(seed)]
    more = ["--hypothesis-profile=thorough", "--cov", "--cov-report=term"]
    return tested(name, [*command, *more], min(left, 40 * 60))


def group(name: str, left: float) -> Outcome:
    """One group of pyproject.toml."""
    declared = GROUPS[name]
    began = time.monotonic()
    install(declared.get("debian", []))
    home = declared.get("environment", name)
    python = environment(home, GROUPS[home]["packages"]) if "packages" in GROUPS[home] else ROOT / ".venv/bin/python"
    left -= time.monotonic() - began
    workers = str(declared.get("workers", "auto"))
    parallel = [] if workers == "1" else ["-n", workers, "--dist", "loadgroup"]
    command = [str(python), "-m", "pytest", *parallel, "-m", name, "tests"]
    return tested(name, command, min(left, declared["minutes"] * 60))


def install(packages: list[str]) -> None:
    """Install the Debian packages that are lacking."""
    wanted = [package.split(":")[0] for package in packages if not installed(*package.split(":"))]
    if wanted:
        print(f"apt-get install {' '.join(wanted)}", flush=True)
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}  # 1: start no service
        subprocess.run(["apt-get", "update", "-qq"], env=quiet, check=True)
        get = ["apt-get", "install", "-qq", "--yes", "--no-install-recommends", *wanted]
        subprocess.run(get, env=quiet, check=True, stdout=subprocess.DEVNULL)


def installed(package: str, program: str | None = None) -> bool:
    """Whether a program can be found, or if none is named, whether Debian's package is installed."""
    if program:
        return shutil.which(program) is not None
    asked = subprocess.run(["dpkg-query", "-W", "-f=${Status}", package], capture_output=True, text=True, check=False)
    return asked.stdout.endswith(" installed")


def environment(name: str, packages: list[str]) -> Path:
    """The interpreter of an environment with those packages, what karat needs and what tests need."""
    project = PROJECT["project"]
    wanted = [*packages, *project["dependencies"], *project["optional-dependencies"]["test"]]
    key = hashlib.sha256("\n".join([sys.version, sys.executable, *wanted]).encode()).hexdigest()
    folder, stamp = CACHE / name, CACHE / f"{name}.made"
    python = folder / "bin" / "python"
    valid = stamp.is_file() and stamp.read_text() == key and time.time() - stamp.stat().st_mtime < KEPT
    if not valid or subprocess.call([str(python), "-c", "import pytest, numpy"]):
        print(f"pip install {' '.join(wanted)}", flush=True)
        stamp.unlink(missing_ok=True)
        venv.create(folder, with_pip=True, clear=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *wanted], check=True)
        stamp.write_text(key)
    # karat is this checkout, with the kernels that dev.py has compiled
    ask = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    (Path(subprocess.check_output(ask, text=True).strip()) / "karat.pth").write_text(f"{ROOT / 'src'}\n")
    return python


def tested(name: str, command: list[str], seconds: float) -> Outcome:
    """Run a command that runs pytest, and read what pytest reports."""
    report = REPORTS / f"{name}.xml"
    options = f"{os.environ.get('PYTEST_ADDOPTS', '')} --junitxml={report} -o junit_duration_report=call"
    print(" ".join(command), flush=True)
    running = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "PYTEST_ADDOPTS": options}, start_new_session=True)
    try:
        status = running.wait(seconds)
    except subprocess.TimeoutExpired:
        status = f"not finished after {seconds / 60:.0f} minutes"
    finally:  # also what pytest has left running
        try:
            os.killpg(running.pid, signal.SIGTERM)
            running.wait(20)
            os.killpg(running.pid, signal.SIGKILL)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass
    outcome = reported(name, report) if report.is_file() else Outcome(name)
    if status and not outcome.failed:
        outcome.failed.append(f"{command[0]} ended with {status}")
    return outcome


def reported(name: str, report: Path) -> Outcome:
    """The outcome that is in a JUnit report."""
    outcome = Outcome(name)
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        test = f"{case.get('classname', '')}::{case.get('name', '')}".removeprefix("::")
        skip = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            outcome.failed.append(test)
        elif skip is not None:
            outcome.skipped.append((test, skip.get("message", "no reason")))
        else:
            outcome.passed += 1
    return outcome


def summary(outcomes: list[Outcome]) -> int:
    """Print how many tests ran and what was skipped and why; the exit status."""
    print("\n== summary")
    for outcome in outcomes:
        print(
            f"{outcome.name:14}{outcome.passed:6} passed {len(outcome.failed):4} failed "
            f"{len(outcome.skipped):4} skipped {outcome.seconds / 60:7.1f} min"
        )
    for outcome in outcomes:
        for test, why in outcome.skipped:
            print(f"skipped in {outcome.name}: {test}: {why}{'; ' + CANNOT_RUN[why] if why in CANNOT_RUN else ''}")
    wrong = [f"{outcome.name}: {text}" for outcome in outcomes for text in outcome.wrong]
    for text in wrong:
        print(f"FAILED {text}")
    passed = sum(outcome.passed for outcome in outcomes)
    print(f"{passed} passed, {len(wrong)} failed, {sum(len(outcome.skipped) for outcome in outcomes)} skipped")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
