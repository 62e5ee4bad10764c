"""What a type checker, and so an editor, knows about the verbs."""

from __future__ import annotations

import re
from pathlib import Path

from mypy import api

import karat
from karat.measures import declared
from shared import ROOT

SCRIPT = """
import numpy as np
import karat

gold, pred, array = ["a", "b"], [1, 2], np.array([1, 2])
systems = {"one": [1, 2], "other": [1, 1]}
table = karat.table(gold, pred)
ev = karat.Evaluation(gold, pred)


def of_frame(frame: object) -> None:
    reveal_type(karat.score(frame, gold="class", pred="cluster"))  # Scores
    reveal_type(karat.score(frame, gold="class", pred=["a", "b"]))  # Board
    reveal_type(karat.score(frame, gold="class", pred="cluster", by="word"))  # GroupScores


reveal_type(karat.ari)  # Measure
reveal_type(karat.ari(gold, pred))  # float
reveal_type(karat.v_measure(gold=gold, pred=pred, beta=2))  # float
reveal_type(karat.v_measure(beta=2))  # Measure
reveal_type(karat.ari(table))  # float
reveal_type(karat.score(gold, pred))  # Scores
reveal_type(karat.score(gold, array, "ari", interval=True))  # Scores
reveal_type(karat.score({"x": "a"}, {"x": "b"}))  # Scores
reveal_type(karat.score({"x": 1}, {"x": 2}))  # Scores
reveal_type(karat.score(table))  # Scores
reveal_type(karat.score(gold, systems))  # Board
reveal_type(karat.score(gold, systems)["one"]["ari"])  # float
reveal_type(karat.score({"one": table}))  # Board
reveal_type(karat.score(gold, pred, by=gold))  # GroupScores
reveal_type(karat.score(ev))  # Scores | Board | GroupScores
reveal_type(karat.compare(gold, systems))  # Comparison
reveal_type(karat.compare(gold, systems, by=gold))  # GroupScores
reveal_type(karat.explain(gold, pred))  # Explanation
reveal_type(karat.explain(gold, systems, top=3))  # Explanations
reveal_type(karat.match(gold, pred))  # Match
reveal_type(karat.match(gold, systems))  # Explanations
reveal_type(karat.relate(gold, systems))  # Relation
reveal_type(karat.report(gold, pred))  # Report
reveal_type(table)  # Table
reveal_type(karat.table(gold, systems))  # dict[str, Table]
karat.score(gold, pred, resample=100)  # error: Unexpected keyword argument "resample"
karat.score(gold, pred, unit="words")  # error: No overload variant
karat.Pairs  # error: Module has no attribute "Pairs"
"""


def test_a_type_checker_knows_what_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT, encoding="utf-8")
    cache = f"--cache-dir={tmp_path / 'cache'}"
    output, problems, _ = api.run(["--config-file", str(ROOT / "pyproject.toml"), cache, str(path)])
    assert not problems
    found: dict[int, str] = {}
    lines = re.compile(r"^.*?script\.py:(\d+): (error|note): (.*?)(?:  \[.*)?$", re.MULTILINE)
    for number, kind, text in lines.findall(output):
        if kind == "error" or text.startswith("Revealed"):
            found[int(number)] = f"{found.get(int(number), '')} {text}"
    for number, line in enumerate(SCRIPT.splitlines(), 1):
        code, _, wanted = line.partition("  # ")
        if not wanted:
            assert number not in found, (line, found)
            continue
        if wanted.startswith("error: "):
            assert wanted.removeprefix("error: ") in found[number], code
            continue
        (revealed,) = re.findall('Revealed type is "(.*)"', found[number])
        assert re.sub(r"(\w+\.)+", "", revealed) == wanted, code


def test_type_checkers_see_every_measure_and_no_statistic() -> None:
    """The families' __all__, which declared.py imports: a measure that is forgotten there is not completed."""
    names = {name for name, value in vars(declared).items() if isinstance(value, karat.Measure)}
    assert names == {measure.name for measure in karat.list_measures()}
    assert not hasattr(declared, "Pairs")
