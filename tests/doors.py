"""The same labels through every door of karat, so that a promise is written once and tested at all of them.

A Case is labels of items with the options under which they are scored. A Door scores a case in one of the ways that
users have: lists, dicts, Series, frames of each engine, each kind of file, a saved table, another verb, the command
line, the app. `every_door(cases)` runs a test once for each door that some of the cases fit through (a text file knows
no types, an array no missing label); `door.score(case, folder)` gives the scores by measure.

    @every_door(CASES)
    def test_the_score_is_the_same_whatever_the_way_in(door: Door, tmp_path: Path) -> None:
        for case in door.fitting(CASES):
            door.check(case, tmp_path)
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import karat
from engines import ENGINES, GROUPS
from karat.cli import main
from karat.sources.files import sources

Scored = Mapping[str, float]


@dataclass(frozen=True)
class Case:
    """Labels by position, None where one is missing, and the options under which they are scored."""

    gold: Sequence[Any]
    pred: Sequence[Any]
    weights: Sequence[float] | None = None
    missing: str = "raise"
    noise: Any = None
    noise_as: str | None = None
    measures: tuple[str, ...] = ("v_measure", "ami", "ari", "purity", "one_to_one", "bcubed_f", "vi", "q2")

    @property
    def kinds(self) -> set[type]:
        """The types of the labels."""
        return {type(label) for label in (*self.gold, *self.pred)} - {type(None)}

    @property
    def gaps(self) -> bool:
        """Whether a label is missing."""
        return None in (*self.gold, *self.pred)

    @property
    def policy(self) -> dict[str, Any]:
        """The options that say what becomes of missing labels and noise, those left out that are not used."""
        noise = {} if self.noise_as is None else {"noise": self.noise, "noise_as": self.noise_as}
        return {"missing": self.missing, **noise}

    @property
    def options(self) -> dict[str, Any]:
        """The policy and the weights."""
        return {**self.policy, **({} if self.weights is None else {"weights": list(self.weights)})}

    @property
    def columns(self) -> dict[str, list[Any]]:
        """The labels, ids and weights as columns of a frame."""
        weights = {} if self.weights is None else {"weight": list(self.weights)}
        return {"id": list(self.ids), "class": list(self.gold), "cluster": list(self.pred), **weights}

    @property
    def ids(self) -> list[str]:
        """An id for each item."""
        return [f"item {place}" for place in range(len(self.gold))]

    @property
    def shuffled(self) -> list[int]:
        """The positions of the items in another order, for the side that is matched by id."""
        return random.Random(len(self.gold)).sample(range(len(self.gold)), len(self.gold))

    @property
    def expected(self) -> Scored:
        """The scores of the labels as plain lists."""
        return dict(karat.score(list(self.gold), list(self.pred), list(self.measures), **self.options))


PLAIN = [
    Case(["a", "a", "a", "b", "b", "c", "c", "c", "c"], ["x", "x", "y", "y", "y", "z", "z", "x", "w"]),
    Case([1, 1, 1, 2, 2, 3, 3, -4, 2**30], [0, 0, 1, 1, 1, 2, 2, 0, 3]),
    Case([1.5, 1.5, 2.0, 2.0, 0.25], [1.0, 1.0, 1.0, -2.5, -2.5]),
    Case([True, True, False, False, True], [False, False, True, True, True]),
    Case(["b", "a", "c", "c", "c"], ["x", "x", "x", "x", "x"]),
    Case(["only"], ["one"]),
    Case(["it's", 'q"q', "a,b", "; DROP TABLE t", "ü", "日本", "it's"], ["x y", "x y", "1", "01", "1.0", "NA", "NA"]),
    Case([1, 1, "1", "1", True, True], ["a", "a", "a", 0, 0, False]),
]
GAPS = [
    Case(["a", None, "a", "b", "b", None, "c", "c"], ["x", "x", None, "y", "y", None, "y", "z"]),
    Case([1, 1, 2, None, 2, 3], [0, 0, 1, 1, None, 1]),
]
NOISE = [
    Case(["a", "a", "b", "b", "b", "c"], [0, -1, 1, 1, -1, -1], noise=-1),
    Case(["a", "a", "b", "b", "b", "c"], ["x", "noise", "y", "y", "noise", "noise"], noise="noise"),
    Case(["a", None, "b", "b", "b", "c"], [0, -1, 1, 1, -1, -1], noise=-1),
    Case(["a", None, None, None, "b", "b", "a"], [1, -1, -1, -1, -1, 1, 1], noise=-1),
]
WEIGHTS = [
    Case(["a", "a", "b", "b", "c"], ["x", "x", "x", "y", "y"], weights=[1, 2, 0, 5, 1]),
    Case(["a", "a", "b", "b", "c"], [1, 1, 1, 2, 2], weights=[0.5, 2.25, 1.0, 5.0, 0.125], measures=("vi", "purity")),
]


@dataclass(frozen=True)
class Door:
    """One way to have labels scored."""

    name: str
    scored: Callable[[Case, Path], Scored]
    carries: Callable[[Case], bool]
    group: str | None = None  # the mark of its tests, if it needs more than the tests install
    digits: int = 12  # that are shown, or that an engine's own sums keep

    def score(self, case: Case, folder: Path) -> Scored:
        """The scores by measure; folder is for files."""
        return {name: float(value) for name, value in self.scored(case, folder).items()}

    def fitting(self, cases: Iterable[Case]) -> list[Case]:
        """The cases that fit through this door."""
        return [case for case in cases if self.carries(case)]

    def check(self, case: Case, folder: Path) -> None:
        """Compare the scores with those of plain lists."""
        found, expected = self.score(case, folder), case.expected
        tolerance = 10.0**-self.digits
        wrong = {
            name: (found.get(name), value)
            for name, value in expected.items()
            if not math.isclose(found.get(name, math.nan), value, rel_tol=tolerance, abs_tol=tolerance)
        }
        assert not wrong, f"{self.name}: (found, expected) {wrong} for {case}"


# What fits through a door


def anything(case: Case) -> bool:
    """Lists take every case."""
    return True


def typed(case: Case) -> bool:
    """Columns have one type of label each, which engines and files of data keep."""
    return all(len({type(label) for label in side if label is not None}) <= 1 for side in (case.gold, case.pred))


def unweighted(case: Case) -> bool:
    """Doors without a place for weights."""
    return case.weights is None


def written(case: Case) -> bool:
    """Text files: text, or integers in all of a side; nothing is the sign of a missing label."""
    return typed(case) and case.kinds <= {str, int} and "" not in (*case.gold, *case.pred)


def whole(case: Case) -> bool:
    """Arrays of one type, in which no label can be missing."""
    return typed(case) and not case.gaps


def both(*conditions: Callable[[Case], bool]) -> Callable[[Case], bool]:
    """All of several conditions."""
    return lambda case: all(condition(case) for condition in conditions)


# Doors in Python


def by_score(give: Callable[[Sequence[Any]], object]) -> Callable[[Case, Path], Scored]:
    """karat.score() of labels in some container."""
    return lambda case, _: karat.score(give(case.gold), give(case.pred), list(case.measures), **case.options)


def by_dicts(case: Case, _: Path) -> Scored:
    gold = dict(zip(case.ids, case.gold, strict=True))
    pred = {case.ids[place]: case.pred[place] for place in case.shuffled}
    weights = {} if case.weights is None else {"weights": dict(zip(case.ids, case.weights, strict=True))}
    return karat.score(gold, pred, list(case.measures), **case.policy, **weights)


def by_series(case: Case, _: Path) -> Scored:
    frame = pd.DataFrame(case.columns, dtype=object).set_index("id")
    weights = {} if case.weights is None else {"weights": pd.Series(list(case.weights), index=case.ids)}
    pred = frame["cluster"].iloc[case.shuffled]
    return karat.score(frame["class"], pred, list(case.measures), **case.policy, **weights)


def by_sets(case: Case, _: Path) -> Scored:
    sides = []
    for labels in (case.gold, case.pred):
        clusters: dict[Any, set[str]] = {}
        for item, label in zip(case.ids, labels, strict=True):
            clusters.setdefault((type(label), label), set()).add(item)
        sides.append(list(clusters.values()))
    return karat.score(*sides, list(case.measures))


def by_measures(case: Case, _: Path) -> Scored:
    return {text: karat.parse(text)(case.gold, case.pred, **case.options) for text in case.measures}


def by_table(case: Case, _: Path) -> Scored:
    return karat.score(karat.Table.from_labels(case.gold, case.pred, **case.options), measures=list(case.measures))


def by_parts(case: Case, _: Path) -> Scored:
    """Tables of parts, added up; in parts of three items."""
    parts = []
    for start in range(0, len(case.gold), 3):
        weights = {} if case.weights is None else {"weights": case.weights[start : start + 3]}
        gold, pred = case.gold[start : start + 3], case.pred[start : start + 3]
        gone = [
            (case.missing == "drop" and None in pair) or (case.noise_as == "drop" and pair[1] == case.noise)
            for pair in zip(gold, pred, strict=True)
        ]
        if not all(gone):  # a part of which nothing is left is refused
            parts.append(karat.Table.from_labels(gold, pred, **case.policy, **weights))
    return karat.score(sum(parts), measures=list(case.measures))


def by_matrix(case: Case, _: Path) -> Scored:
    classes, clusters = (list(dict.fromkeys(side)) for side in (case.gold, case.pred))
    cells = Counter(zip(case.gold, case.pred, strict=True))
    matrix = [[cells[c, k] for k in clusters] for c in classes]
    return karat.score(karat.Table.from_matrix(matrix), measures=list(case.measures))


def by_saved(ending: str) -> Callable[[Case, Path], Scored]:
    """A table that was saved and loaded."""

    def scored(case: Case, folder: Path) -> Scored:
        path = folder / f"table.{ending}"
        karat.Table.from_labels(case.gold, case.pred, **case.options).save(path)
        return karat.score(karat.Table.load(path), measures=list(case.measures))

    return scored


def by_compare(case: Case, _: Path) -> Scored:
    systems = {"this": list(case.pred), "other": [*case.pred[1:], case.pred[0]]}
    return karat.compare(list(case.gold), systems, list(case.measures), **case.policy)["this"]


def by_frame(engine: str) -> Callable[[Case, Path], Scored]:
    """Columns of a frame."""

    def scored(case: Case, _: Path) -> Scored:
        weights = {} if case.weights is None else {"weights": "weight"}
        frame = ENGINES[engine](case.columns)
        names = {"gold": "class", "pred": "cluster"}
        return karat.score(frame, **names, measures=list(case.measures), **case.policy, **weights)

    return scored


def by_two_frames(engine: str) -> Callable[[Case, Path], Scored]:
    """Two frames matched on ids, in different orders."""

    def scored(case: Case, _: Path) -> Scored:
        columns = case.columns
        gold = ENGINES[engine]({"id": columns["id"], "class": columns["class"]})
        order = case.shuffled
        pred = ENGINES[engine]({name: [columns[name][place] for place in order] for name in ("id", "cluster")})
        table = karat.table(gold, pred, gold="class", pred="cluster", id="id", **case.policy)
        return karat.score(table, measures=list(case.measures))

    return scored


# Doors to files


def text_of(value: Any) -> str:
    return "" if value is None else str(value)


def delimited(columns: Mapping[str, Sequence[Any]], delimiter: str = ",") -> str:
    """Columns as a delimited text with a header; every text is quoted."""
    content = io.StringIO(newline="")
    rows = csv.writer(content, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
    rows.writerow(columns)
    rows.writerows([text_of(value) for value in row] for row in zip(*columns.values(), strict=True))
    return content.getvalue()


def write_csv(path: Path, columns: Mapping[str, Sequence[Any]]) -> None:
    path.write_text(delimited(columns), encoding="utf-8", newline="")


def write_tsv(path: Path, columns: Mapping[str, Sequence[Any]]) -> None:
    path.write_text(delimited(columns, "\t"), encoding="utf-8", newline="")


def write_gz(path: Path, columns: Mapping[str, Sequence[Any]]) -> None:
    path.write_bytes(gzip.compress(delimited(columns).encode()))


def write_jsonl(path: Path, columns: Mapping[str, Sequence[Any]]) -> None:
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")


def write_parquet(path: Path, columns: Mapping[str, Sequence[Any]]) -> None:
    pl.DataFrame(dict(columns), strict=False).write_parquet(path)


def write_arrow(path: Path, columns: Mapping[str, Sequence[Any]]) -> None:
    pl.DataFrame(dict(columns), strict=False).write_ipc(path)


WRITERS = {
    "csv": write_csv, "tsv": write_tsv, "csv.gz": write_gz, "jsonl": write_jsonl, "parquet": write_parquet,
    "arrow": write_arrow,
}  # fmt: skip
TYPED_FILES = ("jsonl", "parquet", "arrow")


def read_policy(case: Case, ending: str) -> dict[str, Any]:
    """The policy in a file's own words: in text files noise is text."""
    if case.noise_as is None or ending in TYPED_FILES:
        return case.policy
    return {**case.policy, "noise": str(case.noise)}


def only(reading: karat.Evaluation, case: Case) -> Scored:
    (table,) = reading.tables.values()
    return karat.score(table, measures=list(case.measures))


def by_file(ending: str) -> Callable[[Case, Path], Scored]:
    """One file with all columns."""

    def scored(case: Case, folder: Path) -> Scored:
        path = folder / f"all.{ending}"
        WRITERS[ending](path, case.columns)
        weights = {} if case.weights is None else {"weights": "weight"}
        names = {"gold": "class", "pred": "cluster"}
        return only(karat.read(path, **names, **read_policy(case, ending), **weights), case)

    return scored


def by_two_files(ending: str) -> Callable[[Case, Path], Scored]:
    """A gold file and a system's file, matched on ids, in different orders."""

    def scored(case: Case, folder: Path) -> Scored:
        columns, order = case.columns, case.shuffled
        gold, pred = folder / f"gold.{ending}", folder / f"pred.{ending}"
        weights = {} if case.weights is None else {"weights": "weight"}
        WRITERS[ending](gold, {name: columns[name] for name in columns if name != "cluster"})
        WRITERS[ending](pred, {name: [columns[name][place] for place in order] for name in ("id", "cluster")})
        return only(karat.read(gold, pred, id="id", **read_policy(case, ending), **weights), case)

    return scored


@contextlib.contextmanager
def large_files() -> Iterator[None]:
    """Have DuckDB read all files, as it does large ones."""
    before = sources.LARGE
    sources.LARGE = 1
    try:
        yield
    finally:
        sources.LARGE = before


def by_large_file(case: Case, folder: Path) -> Scored:
    with large_files():
        return by_file("csv")(case, folder)


def by_two_large_files(case: Case, folder: Path) -> Scored:
    with large_files():
        return by_two_files("csv")(case, folder)


def by_lines(case: Case, folder: Path) -> Scored:
    """Two files with one label per line."""
    for name, labels in (("gold", case.gold), ("pred", case.pred)):
        (folder / f"{name}.txt").write_text("".join(f"{text_of(label)}\n" for label in labels), encoding="utf-8")
    return only(karat.read(folder / "gold.txt", folder / "pred.txt", **read_policy(case, "txt")), case)


def fits_a_line(case: Case) -> bool:
    labels = [text_of(label) for label in (*case.gold, *case.pred)]
    return written(case) and unweighted(case) and all(label == label.strip() and "\n" not in label for label in labels)


def by_arrays_on_disk(case: Case, folder: Path) -> Scored:
    for name, labels in (("gold", case.gold), ("pred", case.pred)):
        np.save(folder / f"{name}.npy", np.array(labels))
    return only(karat.read(folder / "gold.npy", folder / "pred.npy", **case.policy), case)


def by_communities(case: Case, folder: Path) -> Scored:
    """Two files with a cluster per line; the items are numbers."""
    for name, labels in (("gold", case.gold), ("pred", case.pred)):
        lines: dict[Any, list[int]] = {}
        for item, label in enumerate(labels):
            lines.setdefault((type(label), label), []).append(item)
        text = "".join(" ".join(map(str, members)) + "\n" for members in lines.values())
        (folder / f"{name}.communities").write_text(text)
    reading = karat.read(folder / "gold.communities", folder / "pred.communities", input="communities")
    return only(reading, case)


def by_cells(case: Case, folder: Path) -> Scored:
    """A file of counted cells."""
    cells = Counter(zip(case.gold, case.pred, strict=True))
    columns = {"class": [c for c, _ in cells], "cluster": [k for _, k in cells], "count": list(cells.values())}
    write_csv(folder / "cells.csv", columns)
    names = {"gold": "class", "pred": "cluster", "count": "count"}
    return only(karat.read(folder / "cells.csv", **names), case)


def partition_only(case: Case) -> bool:
    """Doors for complete, unweighted labels that no policy applies to."""
    return unweighted(case) and not case.gaps and case.noise_as is None


# Doors for programs and people


def asked(*arguments: str) -> str:
    """What a command prints; it must succeed."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(list(arguments))
    assert status == 0, err.getvalue()
    return out.getvalue()


def command_options(case: Case) -> list[str]:
    options = ["--missing", case.missing, "-m", ",".join(case.measures)]
    if case.noise_as is not None:
        options += [f"--noise={case.noise}", "--noise-as", case.noise_as]
    return options + ([] if case.weights is None else ["--weights", "weight"])


def by_command(*more: str) -> Callable[[Case, Path], Scored]:
    """karat score, as JSON."""

    def scored(case: Case, folder: Path) -> Scored:
        write_csv(folder / "all.csv", case.columns)
        columns = ["--gold", "class", "--pred", "cluster", "--format", "json"]
        told = json.loads(asked("score", str(folder / "all.csv"), *columns, *command_options(case), *more))
        (system,) = told["systems"]
        return {name: found["score"] for name, found in system["scores"].items()}

    return scored


@cache
def app() -> Any:
    from app_server import Server

    return Server()


def by_app(case: Case, _: Path) -> Scored:
    """The page that the app answers with, and the scores on it."""
    from app_server import body_of

    noise = {} if case.noise_as is None else {"noise": str(case.noise), "noise_as": case.noise_as}
    options = {"measures": ",".join(case.measures), "missing": case.missing, "interval": "no", **noise}
    status, page, _ = app().report(body_of({"all.csv": delimited(case.columns).encode()}, options))
    assert status == 200, page
    rows = re.findall(r'<a class="term"[^>]*>([^<]+)</a>.*?</th><td class="number[^"]*">([^<]+)<', page)
    return {name.split(" [")[0]: float(value) for name, value in rows}


# Doors to other libraries' arrays


def by_torch(case: Case, _: Path) -> Scored:
    import torch

    return karat.score(torch.tensor(case.gold), torch.tensor(case.pred), list(case.measures), **case.options)


def by_jax(case: Case, _: Path) -> Scored:
    import jax.numpy as jnp

    return karat.score(jnp.asarray(case.gold), jnp.asarray(case.pred), list(case.measures), **case.options)


def small_integers(case: Case) -> bool:
    """Tensors of numbers, of 32 bits in JAX."""
    return whole(case) and case.kinds == {int} and max(map(abs, (*case.gold, *case.pred))) < 2**31


def arrow(labels: Sequence[Any]) -> Any:
    return pa.array(labels, from_pandas=True)


DOORS = [
    Door("lists", by_score(list), anything),
    Door("tuples", by_score(tuple), anything),
    Door("generators", by_score(iter), anything),
    Door("encoded labels", by_score(lambda labels: karat.encode(list(labels))), anything),
    Door("arrays", by_score(np.array), whole),
    Door("arrays of objects", by_score(lambda labels: np.array(labels, dtype=object)), anything),
    Door("dicts", by_dicts, anything),
    Door("sets", by_sets, partition_only),
    Door("pandas Series with an index", by_series, anything),
    Door("polars Series", by_score(lambda labels: pl.Series(labels, strict=False)), typed),
    Door("Arrow arrays", by_score(arrow), typed),
    Door("a measure called", by_measures, anything),
    Door("a table", by_table, anything),
    Door("parts added up", by_parts, anything),
    Door("a matrix", by_matrix, both(partition_only, typed)),
    Door("a saved table, JSON", by_saved("json"), anything),
    Door("a saved table, Parquet", by_saved("parquet"), anything),
    Door("compare", by_compare, both(unweighted, lambda case: not case.gaps and case.noise_as != "drop")),
    *(Door(f"frame of {engine}", by_frame(engine), typed, GROUPS.get(engine.split()[0])) for engine in ENGINES),
    *(
        Door(f"two frames of {engine}", by_two_frames(engine), both(typed, unweighted), GROUPS.get(engine.split()[0]))
        for engine in ENGINES
    ),
    *(Door(f"a {ending} file", by_file(ending), typed if ending in TYPED_FILES else written) for ending in WRITERS),
    *(
        Door(f"two {ending} files", by_two_files(ending), typed if ending in TYPED_FILES else written)
        for ending in WRITERS
    ),
    Door("a large CSV file", by_large_file, written),
    Door("two large CSV files", by_two_large_files, written),
    Door("a label per line", by_lines, fits_a_line),
    Door("NumPy files", by_arrays_on_disk, both(whole, unweighted)),
    Door("communities", by_communities, partition_only),
    Door("cells in a file", by_cells, both(written, partition_only)),
    Door("command", by_command(), written),
    Door("command, Polars", by_command("--engine", "polars"), written),
    Door("app", by_app, both(written, unweighted), digits=4),
    Door("PyTorch tensors", by_torch, small_integers, "integrations"),
    Door("JAX arrays", by_jax, small_integers, "integrations"),
]


def _param(door: Door) -> Any:
    marks = [pytest.mark.xdist_group(door.name)]
    if door.group:
        marks += [getattr(pytest.mark, door.group), pytest.mark.filterwarnings("ignore")]
    return pytest.param(door, marks=marks, id=door.name)


def every_door(cases: Sequence[Case]) -> pytest.MarkDecorator:
    """Run a test for each door that some of the cases fit through, in its group."""
    return pytest.mark.parametrize("door", [_param(door) for door in DOORS if door.fitting(cases)])


def close_doors() -> None:
    """End the app, if a test has started it."""
    if app.cache_info().currsize:
        app().end()
        app.cache_clear()


def variants(case: Case) -> Iterator[Case]:
    """A case under every policy that it can be scored under."""
    missing = ("drop", "singletons", "cluster") if case.gaps else ("raise",)
    for policy in missing:
        yield replace(case, missing=policy)
        for noise_as in ("drop", "singletons", "cluster") if case.noise is not None else ():
            yield replace(case, missing=policy, noise_as=noise_as)
