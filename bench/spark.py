"""karat in Spark beside Spark's own group-by: python bench/spark.py

Starts a standalone cluster of two workers on this machine, and prints and writes docs/speed-spark.md: how long
karat.score takes on Parquet beside `groupBy("gold", "pred").count()`, what either sends between workers, and what more
items would cost. Bytes and jobs are what Spark's own REST interface says of the stages. Takes about eight minutes.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

import karat

DOCS = Path(__file__).resolve().parent.parent / "docs"
sys.path.insert(0, str(DOCS.parent / "tests"))
from spark_cluster import Cluster, free_port  # noqa: E402

REPEATS = 2
WORKERS = 2  # of one core each
SPLIT = 128 * 2**20  # bytes of Parquet that a task reads, if nobody says otherwise
DATA = {
    "100 × 100 labels": (10_000_000, "hash(i) % 100", "hash(i, 1) % 100"),
    "1,000 × 1,000 labels": (10_000_000, "hash(i) % 1000", "hash(i, 1) % 1000"),
    "1,000,000 × 30 labels": (5_000_000, "hash(i) % 1000000", "hash(i, 1) % 30"),
    "1,000,000 × 30 labels, rows sorted by class": (5_000_000, "i // 5", "hash(i, 1) % 30"),
}
RECIPE = """\
import sys

from pyspark.sql import SparkSession

import karat

spark = SparkSession.builder.appName("karat").getOrCreate()
labels = spark.read.parquet(sys.argv[1])
print(karat.score(labels, gold="gold", pred="pred"))
"""


class Run(NamedTuple):
    """What one query took, of Spark's clock and wires."""

    seconds: float
    jobs: int
    shuffled: int  # bytes written for other tasks to read
    records: int


def measured(spark: Any, works: dict[str, Callable[[], object]]) -> dict[str, Run]:
    """The shortest run of each; they take turns, so that a busy machine slows all, and find nothing cached."""
    runs: dict[str, list[Run]] = {name: [] for name in works}
    for repeat in range(REPEATS + 1):  # the first loads classes, and the file into the machine's memory
        for name, work in works.items():
            spark.catalog.clearCache()
            group = f"{name} {repeat} {time.time()}"
            spark.sparkContext.setJobGroup(group, name)
            start = time.perf_counter()
            work()
            runs[name].append(Run(time.perf_counter() - start, *told(spark.sparkContext, group)))
    return {name: min(found[1:]) for name, found in runs.items()}


def told(context: Any, group: str) -> tuple[int, int, int]:
    """Jobs, bytes and records shuffled of a group of jobs, from the REST interface at the driver's port."""
    time.sleep(1)  # it hears of finished stages a little later
    address = f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}"
    jobs, stages = (json.load(urllib.request.urlopen(f"{address}/{what}")) for what in ("jobs", "stages"))
    ours = [job for job in jobs if job.get("jobGroup") == group]
    ids = {stage for job in ours for stage in job["stageIds"]}
    done = [stage for stage in stages if stage["stageId"] in ids]
    return len(ours), sum(s["shuffleWriteBytes"] for s in done), sum(s["shuffleWriteRecords"] for s in done)


class Cost(NamedTuple):
    """What counting rows of one kind took."""

    rate: float  # rows a second and core
    width: float  # bytes of a record that is sent
    row: float  # bytes of a row in Parquet


def compared(spark: Any, folder: Path, name: str) -> tuple[list[str], Cost]:
    """One row of the table, and what its rows cost Spark's group-by."""
    rows, gold, pred = DATA[name]
    path = folder / f"{list(DATA).index(name)}.parquet"
    columns = f"({gold})::BIGINT AS gold, ({pred})::BIGINT AS pred"
    duckdb.execute(f"COPY (SELECT {columns} FROM range({rows}) AS t(i)) TO '{path}' (ROW_GROUP_SIZE 1000000)")
    frame = spark.read.parquet(str(path))
    ((cells,),) = duckdb.sql(f"SELECT count(*) FROM (SELECT DISTINCT gold, pred FROM '{path}')").fetchall()
    works = {
        "group-by": lambda: discarded(frame.groupBy("gold", "pred").count()),
        "ari": lambda: karat.score(frame, gold="gold", pred="pred", measures="ari")["ari"],
        "panel": lambda: dict(karat.score(frame, gold="gold", pred="pred")),
    }
    bare, short, panel = measured(spark, works).values()
    row = [
        f"{rows:,} rows, {name}", f"{cells:,}", f"{bare.seconds:.2f} s", f"{rows / bare.seconds / 1e6:.2g} M",
        *(f"{run.seconds:.2f} s, {run.seconds / bare.seconds:.1f}×, {run.jobs} jobs" for run in (short, panel)),
        f"{bare.records / cells:.2f}", f"{bare.shuffled / cells:.1f}", f"{panel.shuffled / cells:.1f}",
    ]  # fmt: skip
    return row, Cost(rows / bare.seconds / WORKERS, bare.shuffled / bare.records, path.stat().st_size / rows)


def discarded(frame: Any) -> None:
    """All of a frame worked out, and written nowhere."""
    frame.write.format("noop").mode("overwrite").save()


def extrapolated(few: Cost, many: Cost) -> list[list[str]]:
    """Rows of a table: core-hours and bytes for more items, at the rates of a core here."""
    found = []
    for items in (10**10, 10**12):
        for cells, cost in ((10**6, few), (10**9, many)):
            each = SPLIT / cost.row
            tasks = math.ceil(items / each)
            sent = tasks * cells * -math.expm1(-each / cells)  # distinct cells that a task meets, in random order
            found.append(
                [f"10^{len(str(items)) - 1}", f"10^{len(str(cells)) - 1}", f"{tasks:,}",
                 f"{items / cost.rate / 3600:,.1f}", f"{sent:.1e}", f"{sent * cost.width / 1e9:,.1f} GB",
                 f"{items * cost.width / 1e9:,.0f} GB"]
            )  # fmt: skip
    return found


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))


def page(rows: list[list[str]], few: Cost, many: Cost, output: str) -> str:
    """docs/speed-spark.md."""
    head = ["data", "cells", "group-by", "rows/s", "karat, ari", "karat, panel",
            "records sent per cell", "bytes sent per cell", "the same, panel"]  # fmt: skip
    costs = ["items", "cells", "tasks", "core-hours to count", "records sent", "bytes sent", "if rows were sent"]
    return f"""# Speed in Spark

Written by `python bench/spark.py`: a standalone cluster of {WORKERS} workers of one core and 600 MB on one machine,
Parquet of two integer columns, best of {REPEATS} runs with nothing cached; only the ratios mean anything.

{table(head, rows)}

The group-by is `groupBy("gold", "pred").count()` with its result thrown away. Up to 2,000,000 cells come to where karat
runs; more stay in Spark, which keeps them (in memory, or on disk) and is asked for histograms of them. Records, bytes
and jobs are what the stages wrote for other tasks to read, from Spark's REST interface
(`/api/v1/applications/.../stages`). Seconds differ by up to a factor of two between two runs of this script, since
other programs shared the two cores; bytes, records and jobs hardly differ.

## More items

Spark counts in each task before it sends anything, so what is sent follows the distinct cells that a task meets, not
its rows. Sorted by class, a cell is met by one task, and is sent once; in random order, by each task that reads
enough rows. Here are the costs of the group-by with tasks that read 128 MB of Parquet in random order; for 10^6 cells
at the {few.rate / 1e6:.2g} million rows a second and core of the second row above ({few.row:.1f} bytes a row
in Parquet, {few.width:.0f} a record), for 10^9 at the {many.rate / 1e6:.2g} million of the third
({many.row:.1f} and {many.width:.0f}):

{table(costs, extrapolated(few, many))}

This is arithmetic, not a measurement: nothing here has seen more than 36,000,000 rows (`pytest -m spark`). It leaves
out reading from remote storage, which is likely to be slower than counting; spilling, where the cells of a task exceed
its memory; and stragglers. With 10^6 cells, a task of so many rows meets nearly all of them, so bytes grow with tasks:
larger splits, or rows sorted by class, send less. With 10^9 cells nearly every row is a record, as in any
other group-by of that many groups; and the histograms read the kept cells again, once for each kind of sum: times and
bytes of the panel above, beside those of the group-by, say how much more that is. Scores that need all cells
in one place, such as `one_to_one`, are left out there.

## On a cluster

Nothing of karat runs on the workers: it must be installed where the driver runs only. `score.py`:

```python
{RECIPE}```

```console
$ spark-submit --master spark://host:7077 --executor-memory 4g score.py hdfs:///labels.parquet
{output.strip()}
```

That is what the script printed for the last row of the first table, submitted to the cluster of this page with its own
address, memory and file in place of those shown.
"""


def main() -> None:
    """Run everything, print and write the page."""
    rows, costs = [], []
    port = str(free_port())
    with tempfile.TemporaryDirectory() as name, Cluster(WORKERS) as cluster:
        folder = Path(name)
        with cluster.session(spark__ui__enabled="true", spark__ui__port=port) as spark:
            for data in DATA:
                row, cost = compared(spark, folder, data)
                print(row, flush=True)
                rows.append(row)
                costs.append(cost)
        script = folder / "score.py"
        script.write_text(RECIPE, encoding="utf-8")
        done = cluster.submit(script, str(folder / f"{len(DATA) - 1}.parquet"))
        if done.returncode:
            raise SystemExit(done.stderr)
    text = page(rows, costs[1], costs[2], done.stdout)
    (DOCS / "speed-spark.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
