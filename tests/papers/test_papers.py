"""The papers: what is printed is reached, or it is said that it is not."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.papers.claims import cells, number
from karat.papers.pages import Reproduction, reproduce
from karat.papers.runs import _computed

reproduced = cache(reproduce)
PAPERS = ("dom2001", "rosenberg2007", "reichart2009", "manning2008")  # the simulation is tried in test_synth.py

# what is known not to be reached, and why is said beside it
NOT_REACHED = {"dom2001": 1, "rosenberg2007": 20, "reichart2009": 4, "manning2008": 1}


@pytest.fixture(scope="module", params=PAPERS)
def paper(request: pytest.FixtureRequest) -> Reproduction:
    return reproduced(request.param)


def test_all_is_reached_but_what_nobody_can_reach(paper: Reproduction) -> None:
    missed = [claim for claim in paper if claim.verdict == "not reached"]
    assert len(missed) == NOT_REACHED[paper.paper]
    assert all(claim.note for claim in missed)


def test_every_claim_has_its_place_and_both_numbers(paper: Reproduction) -> None:
    for claim in paper:
        assert claim.paper == paper.paper
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


@pytest.mark.parametrize("name", PAPERS)
def test_figures_are_drawn(name: str, tmp_path: Path) -> None:
    drawn = import_module(f"karat.papers.{name}").figures
    found = Reproduction(name, name, tuple(reproduced("manning2008")), drawn)
    written = found.write(str(tmp_path))
    assert {f"{name}.md", f"{name}.json"} <= set(written)
    assert all((tmp_path / path).stat().st_size > 200 for path in written)
    assert len(written) == {"dom2001": 16, "rosenberg2007": 4, "reichart2009": 4, "manning2008": 2}[name]


def test_verdicts_go_by_the_printed_digits() -> None:
    verdicts = [number("p", "1", "c", printed, value).verdict for printed, value in (
        ("0.81", 0.8149), ("0.81", 0.8169), ("0.81", 0.83), ("29", 28), ("28", 28), (".5", 0.46),
    )]  # fmt: skip
    assert verdicts == ["reached", "reached up to rounding", "not reached", "not reached", "reached", "reached"]
    assert cells("p", "1", "c", [["0.1", "0.2"]], [[0.1, 0.3]]).verdict == "not reached"


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
