"""The command line beside what it cannot be faster than: python bench/files.py

Prints and writes docs/speed-files.md: how long `karat --help` takes beside an empty Python, a file of a thousand
rows beside importing NumPy, and scoring twenty million rows of Parquet beside DuckDB's own GROUP BY of the two columns
under the same limit of memory. Best of several runs, one after the other in turn. Takes about three minutes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
KARAT = [str(Path(sys.executable).parent / "karat")]
PYTHON = [sys.executable, "-c"]
GROUP_BY = """
import duckdb, sys
config = {{"memory_limit": "500MB", "temp_directory": {folder!r}, "preserve_insertion_order": False}}
duckdb.connect(config=config).execute({query!r})
"""
QUERY = "COPY (SELECT gold, pred, count(*) AS n FROM '{path}' GROUP BY ALL) TO '{folder}/cells.parquet'"
LARGE = {
    "5,000 × 5,000 labels": ("'class-' || (random() * 5000)::INT", "'cluster-' || (random() * 5000)::INT"),
    "1,000,000 × 30 labels": ("'class-' || (random() * 1000000)::INT", "'cluster-' || (random() * 30)::INT"),
}


def seconds(commands: dict[str, list[str]], repeats: int) -> dict[str, float]:
    """The shortest time of each command; they take turns, so that a busy machine slows all of them."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(repeats + 1):  # the first run fills caches
        for name, command in commands.items():
            start = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
            times[name].append(time.perf_counter() - start)
    return {name: min(found[1:]) for name, found in times.items()}


def small(folder: str) -> list[list[str]]:
    """Start-up, and a file of a thousand rows."""
    path = Path(folder) / "small.csv"
    rows = [f"{i},c{i * 7 % 8},{i * i % 10}" for i in range(1000)]
    path.write_text("\n".join(["id,class,cluster", *rows]), encoding="utf-8")
    found = seconds(
        {
            "pass": [*PYTHON, "pass"],
            "help": [*KARAT, "--help"],
            "numpy": [*PYTHON, "import numpy"],
            "score": [*KARAT, "score", str(path)],
        },
        25,
    )
    return [
        row("karat --help", found["help"], "python -c pass", found["pass"], 4),
        row("karat score, 1,000 rows of CSV", found["score"], "python -c 'import numpy'", found["numpy"], 1.6),
    ]


def large(folder: str) -> list[list[str]]:
    """Twenty million rows with two columns of text."""
    import duckdb

    rows = []
    for name, (gold, pred) in LARGE.items():
        path = f"{folder}/large.parquet"
        duckdb.sql(f"COPY (SELECT {gold} AS gold, {pred} AS pred FROM range(20000000)) TO '{path}' (FORMAT PARQUET)")
        query = QUERY.format(path=path, folder=folder)
        found = seconds(
            {
                "karat": [*KARAT, "score", path, "--memory", "500MB"],
                "duckdb": [*PYTHON, GROUP_BY.format(folder=folder, query=query)],
            },
            3,
        )
        cells = duckdb.sql(f"SELECT count(*) FROM '{folder}/cells.parquet'").fetchall()[0][0]
        work = f"karat score, 20,000,000 rows of Parquet, {name}, {cells:,} cells"
        rows.append(row(work, found["karat"], "DuckDB's GROUP BY, its result written to Parquet", found["duckdb"], 1.5))
    return rows


def row(work: str, ours: float, other: str, theirs: float, goal: float) -> list[str]:
    """A line of the table."""
    reached = "yes" if ours <= goal * theirs else "NO"
    return [work, f"{ours:.3g} s", other, f"{theirs:.3g} s", f"{ours / theirs:.2f}×", f"{goal}×", reached]


def main() -> None:
    """Run all, print, and write the page."""
    with tempfile.TemporaryDirectory() as folder:
        rows = small(folder) + large(folder)
    for line in rows:
        print("  ".join(line))
    head = ["work", "karat", "beside", "takes", "karat takes", "at most", "reached"]
    table = [f"| {' | '.join(line)} |" for line in [head, ["---"] * len(head), *rows]]
    text = "Written by `python bench/files.py`: whole processes, best of several; only the ratios mean anything."
    (DOCS / "speed-files.md").write_text("\n".join(["# Speed of the command line", "", text, "", *table, ""]))


if __name__ == "__main__":
    main()
