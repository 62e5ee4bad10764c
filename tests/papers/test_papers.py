"""The papers: what is printed is reached, or it is said that it is not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from functools import cache
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

import karat
from karat.cli import main
from karat.papers import list_studies, registry, studies
from karat.papers.claims import cells, number
from karat.papers.pages import Reproduction, reproduce
from karat.papers.registry import described, find_study
from karat.papers.runs import _computed

reproduced = cache(reproduce)
MODULES = sorted(path.stem for path in Path(studies.__file__ or "").parent.glob("*.py") if path.stem != "__init__")
PAPERS = [
    study.paper for study in described() if not study.experiment and not study.is_simulation
]  # the simulation is tried in test_synth.py

# what is known not to be reached, and why is said beside it; other papers have tests of their own
NOT_REACHED = {"dom2001": 1, "rosenberg2007": 20, "reichart2009": 4, "manning2008": 1}
FIGURES = {"dom2001": 7, "rosenberg2007": 1, "reichart2009": 1, "manning2008": 0}


@pytest.mark.parametrize("name", MODULES)
def test_every_module_of_studies_declares_a_study(name: str) -> None:
    paper, _, experiment = name.partition("_")
    assert paper in MODULES  # an experiment stands beside its paper
    study = find_study(paper, experiment or None)
    assert study.module == f"karat.papers.studies.{name}"
    assert study.title
    assert study.summary
    assert set(study.options) <= set(signature(reproduce).parameters)


def test_a_module_without_a_declaration_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_declared", {})
    monkeypatch.setitem(sys.modules, "karat.papers.studies.forgetful2024", ModuleType("forgetful2024"))
    monkeypatch.setattr(registry, "list_studies", lambda: {"forgetful2024": []})
    with pytest.raises(karat.KaratError, match="forgetful2024 declares no paper; put @paper"):
        find_study("forgetful2024")


def test_papers_are_listed_in_the_command_line_without_being_loaded(capsys: pytest.CaptureFixture[str]) -> None:
    assert list_studies() == {
        study.paper: [other.experiment for other in described() if other.paper == study.paper and other.experiment]
        for study in described()
    }
    with pytest.raises(SystemExit):
        main(["reproduce", "--help"])
    text = capsys.readouterr().out
    for study in described():
        assert study.title in text
        assert study.paper in text


@pytest.fixture(scope="module", params=PAPERS)
def paper(request: pytest.FixtureRequest) -> Reproduction:
    return reproduced(request.param)


def test_all_is_reached_but_what_nobody_can_reach(paper: Reproduction) -> None:
    missed = [claim for claim in paper if claim.verdict == "not reached"]
    assert len(missed) == NOT_REACHED.get(paper.paper, len(missed))
    assert all(claim.note for claim in missed)


def test_every_claim_has_its_place_and_both_numbers(paper: Reproduction) -> None:
    for claim in paper:
        assert claim.place
        assert claim.printed
        assert claim.shown
    assert paper.title in str(paper)
    assert f"{len(paper)} claims: " in str(paper)
    assert paper.page().startswith(f"# {paper.title}")
    assert paper[0] in list(paper)


def test_the_rates_of_rosenberg_and_hirschberg_that_are_reached() -> None:
    found = {c.claim.split(":")[0]: c for c in reproduced("rosenberg2007") if c.place == "Table 2"}
    for name in ("V-measure", "VI", "Q0"):
        assert all(found[f"P{i}, {name}"].verdict == "reached" for i in range(1, 8))
    computed = {
        key: round(float(found[key].computed), 3) for key in ("P2, Rand", "P3, Fowlkes", "P6, Jaccard", "P7, Rand")
    }
    assert computed == {"P2, Rand": 0.652, "P3, Fowlkes": 0.204, "P6, Jaccard": 0.239, "P7, Rand": 0.814}
    assert len(found) == 63
    assert sum(claim.verdict == "reached" for claim in found.values()) == 43


def test_figures_are_drawn_and_the_users_settings_stay(paper: Reproduction, tmp_path: Path) -> None:
    with mpl.rc_context({"lines.linewidth": 17.0}):
        written = paper.write(str(tmp_path))
        assert mpl.rcParams["lines.linewidth"] == 17.0
    assert {f"{paper.paper}.md", f"{paper.paper}.json"} <= set(written)
    assert all((tmp_path / path).stat().st_size > 200 for path in written)
    figures = FIGURES.get(paper.paper, len(paper.study.figures))
    assert len([path for path in written if path.endswith(".svg")]) == figures
    assert len(written) == 2 + 2 * figures
    assert all(record["paper"] == paper.paper for record in json.loads((tmp_path / f"{paper.paper}.json").read_text()))


def test_verdicts_go_by_the_printed_digits() -> None:
    verdicts = [number("1", "c", printed, value).verdict for printed, value in (
        ("0.81", 0.8149), ("0.81", 0.8169), ("0.81", 0.83), ("29", 28), ("28", 28), (".5", 0.46),
    )]  # fmt: skip
    assert verdicts == ["reached", "reached up to rounding", "not reached", "not reached", "reached", "reached"]
    assert cells("1", "c", [["0.1", "0.2"]], [[0.1, 0.3]]).verdict == "not reached"


def test_an_unknown_paper_is_an_error() -> None:
    with pytest.raises(karat.KaratError, match=r"there is no paper 'dom2002'; did you mean dom2001\?"):
        karat.reproduce("dom2002")


def slowly(task: float) -> Any:
    time.sleep(task)
    return np.zeros(1)


def test_nobody_waits_for_blocks_that_nobody_wants() -> None:
    begun = time.monotonic()
    blocks = _computed(slowly, [("a", 0.0), ("b", 30.0), ("c", 30.0)], 2)
    assert next(blocks)[0] == "a"
    blocks.close()
    assert time.monotonic() - begun < 15


ORPHANS = """
import sys
sys.path.insert(0, sys.argv[1])
from test_papers import slowly
from karat.papers.runs import _computed
blocks = _computed(slowly, [("a", 0.0), ("b", 60.0), ("c", 60.0)], 2)
next(blocks)
print("at work", flush=True)
next(blocks)
"""


@pytest.mark.skipif(os.name == "nt", reason="there are no groups of processes")
def test_processes_end_with_the_one_that_has_started_them() -> None:
    folder = str(Path(__file__).parent)
    with subprocess.Popen(
        [sys.executable, "-c", ORPHANS, folder], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "at work\n"
        process.kill()
        process.wait()
        assert any(not alive(process.pid) for _ in range(100))


def alive(group: int) -> bool:
    """Whether a group has processes, a tenth of a second from now."""
    time.sleep(0.1)
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
