"""Continuous integration runs everything, and what does not run is a failure."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from shared import ROOT

REPORT = """<testsuites><testsuite>
<testcase classname="tests.test_a" name="test_good"/>
<testcase classname="tests.test_a" name="test_bad"><failure message="no"/></testcase>
<testcase classname="tests.test_a" name="test_left"><skipped message="nobody had time"/></testcase>
<testcase classname="" name="tests.test_b"><error message="collection failure"/></testcase>
</testsuite></testsuites>"""


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch) -> Any:
    spec = spec_from_file_location("ci_check", ROOT / ".ci" / "check.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "ci_check", module)
    spec.loader.exec_module(module)
    return module


def test_the_readmes_test_command_comes_first(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "tested", lambda name, command, seconds: command)
    assert check.readme("readme", 60) == ["python3", "dev.py", "test"]
    assert "$ python3 dev.py test" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_failures_and_skips_are_read_from_the_report(check: Any, tmp_path: Path) -> None:
    (tmp_path / "r.xml").write_text(REPORT)
    found = check.reported("some", tmp_path / "r.xml")
    assert (found.passed, found.failed) == (1, ["tests.test_a::test_bad", "tests.test_b"])
    assert found.wrong == [*found.failed, "tests.test_a::test_left was skipped: nobody had time"]


def test_a_skip_that_cannot_be_helped_is_listed_and_no_failure(
    check: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    skipped = check.Outcome("some", passed=1, skipped=[("test_left", "needs a GPU")])
    assert check.summary([skipped]) == 1
    monkeypatch.setitem(check.CANNOT_RUN, "needs a GPU", "no machine here has one")
    assert check.summary([skipped]) == 0
    assert "skipped in some: test_left: needs a GPU; no machine here has one" in capsys.readouterr().out


def test_a_step_in_which_nothing_ran_is_a_failure(check: Any) -> None:
    assert check.Outcome("some").wrong == ["no test ran"]


def test_a_step_that_does_not_end_is_ended_and_a_failure(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "REPORTS", Path("/nowhere"))
    found = check.tested("some", [sys.executable, "-c", "import time; time.sleep(60)"], 0.5)
    assert "not finished" in found.failed[0]


def test_every_group_is_declared_with_what_it_is_about(check: Any) -> None:
    used = {name for path in (ROOT / "tests").rglob("*.py") for name in check.GROUPS if name in path.read_text("utf-8")}
    assert used == set(check.GROUPS)
    for group in check.GROUPS.values():
        assert group["about"]
        assert group["minutes"] > 0
