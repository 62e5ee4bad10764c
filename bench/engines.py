"""Frames beside the bare group-by of their engines, and uncertainty beside scores: python bench/engines.py

Prints and writes docs/speed-engines.md. Takes about three minutes, and half a gigabyte of disk for a while.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
from files import KARAT, PYTHON, row, seconds

import karat
from karat.output.layout import markdown

DOCS = Path(__file__).resolve().parent.parent / "docs"
GROUP_BY = """
import duckdb
config = {{"memory_limit": "1GB", "temp_directory": {folder!r}, "preserve_insertion_order": False}}
duckdb.connect(config=config).execute("SELECT gold, pred, count(*) FROM '{path}' GROUP BY ALL").fetchnumpy()
"""


def best(works: dict[str, Callable[[], Any]], repeats: int = 5) -> dict[str, float]:
    """The shortest time of each, taking turns."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            times[name].append(time.perf_counter() - start)
    return {name: min(found) for name, found in times.items()}


def frames(folder: str) -> list[list[str]]:
    """10 million rows in Polars and DuckDB: what the keys of integers and of text cost beside a plain group-by."""
    rng, rows = np.random.default_rng(0), []
    for classes, clusters, kind in ((100, 200, "integers"), (3000, 300, "integers"), (100, 200, "texts")):
        path = f"{folder}/{classes}-{kind}.parquet"
        columns = {"gold": rng.integers(0, classes, 10**7), "pred": rng.integers(0, clusters, 10**7)}
        frame = pl.DataFrame(columns)
        if kind == "texts":
            frame = frame.select(pl.format("label {}", pl.all()).name.keep())
        frame.write_parquet(path)
        lazy, connection = pl.scan_parquet(path), duckdb.connect()
        relation = connection.sql(f"SELECT * FROM '{path}'")
        found = best(
            {
                "Polars": lambda lazy=lazy: lazy.group_by("gold", "pred").len().collect(),  # type: ignore[misc]
                "karat, Polars": lambda lazy=lazy: karat.table(lazy, gold="gold", pred="pred"),  # type: ignore[misc]
                "DuckDB": lambda r=relation: r.aggregate("gold, pred, count(*)", "gold, pred").to_arrow_table(),  # type: ignore[misc]
                "karat, DuckDB": lambda r=relation: karat.table(r, gold="gold", pred="pred"),  # type: ignore[misc]
            }
        )
        for engine in ("Polars", "DuckDB"):
            work = f"karat.table, 10,000,000 rows, {classes} × {clusters} {kind}, {engine}"
            rows.append(row(work, found[f"karat, {engine}"], f"{engine}'s group-by", found[engine], 1.2))
    return rows


def files(folder: str) -> list[list[str]]:
    """100 million rows of Parquet under a limit of memory."""
    path = f"{folder}/large.parquet"
    numbers = "(random() * 1000)::INT AS gold, (random() * 500)::INT AS pred"
    duckdb.connect().execute(f"COPY (SELECT {numbers} FROM range(100000000)) TO '{path}'")
    score = [
        *KARAT,
        "score",
        path,
        "--gold",
        "gold",
        "--pred",
        "pred",
        "--memory",
        "1GB",
        "-m",
        "v_measure,ari,bcubed_f",
    ]
    bare = [*PYTHON, GROUP_BY.format(folder=folder, path=path)]
    found = seconds({"score": score, "bare": bare}, 2)
    return [
        row("karat score, 100,000,000 rows of Parquet, 1 GB", found["score"], "DuckDB's GROUP BY", found["bare"], 1.3)
    ]


def uncertainty() -> list[list[str]]:
    """Intervals beside scores, paired resamples, explanations."""
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 100, 10**7)
    table = karat.Table.from_labels(gold, np.where(rng.random(10**7) < 0.7, gold, rng.integers(0, 100, 10**7)))
    small = rng.integers(0, 50, 10**5)
    noisy = {
        f"s{i}": np.where(rng.random(10**5) < 0.5 + 0.02 * i, small, rng.integers(0, 60, 10**5)) for i in range(20)
    }
    pieces = karat.Table.from_labels(rng.integers(0, 10**4, 10**6), rng.integers(0, 10**5, 10**6))
    labels = table.expand()
    found = best(
        {
            "scores": lambda: karat.score(*labels),
            "intervals": lambda: karat.score(*labels, interval=0.95),
            "paired": lambda: karat.compare(small, noisy, "purity"),
            "explain": lambda: karat.explain(pieces),
        },
        2,
    )
    return [
        row("the panel with intervals, n = 10,000,000", found["intervals"], "the panel", found["scores"], 2),
        row("1,000 paired resamples of 20 systems, n = 100,000", found["paired"], "30 s", 30, 1),
        row("explain, 100,000 clusters, n = 1,000,000", found["explain"], "10 s", 10, 1),
    ]


def main() -> None:
    """Measure, print and write."""
    with tempfile.TemporaryDirectory() as folder:
        rows = [*frames(folder), *files(folder), *uncertainty()]
    headings = ["work", "karat", "beside", "takes", "karat takes", "at most", "reached"]
    text = markdown(headings, rows, left=len(headings))
    print(text)
    intro = "Written by `python bench/engines.py`: best of several runs in turn; only the ratios mean anything."
    (DOCS / "speed-engines.md").write_text(
        f"# Speed of engines and of intervals\n\n{intro}\n\n{text}\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
