"""read(): files of gold and systems as an Evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

from karat.labels.policy import Missing, NoiseAs, Policy
from karat.scoring.evaluation import Evaluation
from karat.sources.files.inputs import Kind
from karat.sources.files.options import Reading, columns_of
from karat.sources.files.reading import read_files


def read(
    path: str | PathLike[str],
    *others: str | PathLike[str],
    gold: str | Sequence[str] | None = None,
    pred: str | Sequence[str] = (),
    id: str | None = None,
    by: str | None = None,
    weights: str | None = None,
    count: str | None = None,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
    ignore: Any = None,
    input: Kind | None = None,
    encoding: str = "utf-8",
    header: bool = True,
    delimiter: str | None = None,
    memory: str = "2GB",
    threads: int | None = None,
    progress: bool = False,
    items: bool | None = None,
) -> Evaluation:
    """Read gold and predicted labels from one file, or from a gold file and a file for each system.

    Parameters
    ----------
    path, others
        One file with all columns, or the gold file and a file for each system, matched on an id column, or by position
        where there is one label per row and no id. "-" is standard input; "part-*.parquet" is several files.
    gold, pred, id, by, weights, count
        Columns; what is not named is guessed from the names of the columns, and the evaluation's notes say how. `by`
        scores each group separately; `count` says that rows are cells of a table. Several columns of gold are taken
        together: classes are their combinations, as cross() makes them.
    missing, noise, noise_as, ignore
        As in karat.score(); text also stands for the number that it spells.
    input
        What a text file is, where its ending does not say: "csv", "tsv", "jsonl", "labels", "matrix", "communities" or
        "senseval".
    memory, threads
        Limits of DuckDB, which reads Parquet, compressed files and text from 10 MB.
    items
        Whether the labels and ids of items are kept, not only tables; by default labels are, if they are not too many.

    >>> import karat
    >>> karat.read("nowhere.csv")
    Traceback (most recent call last):
    karat.errors.FileError: there is no file 'nowhere.csv'; check its name.
    """
    reading = Reading(
        columns_of(gold), (pred,) if isinstance(pred, str) else tuple(pred), id, by, weights, count,
        Policy.of(missing, noise, noise_as, ignore), input, encoding, header, delimiter, memory, threads, progress,
        items, bool(items),
    )  # fmt: skip
    return evaluation_of_files([path, *others], reading)


def evaluation_of_files(paths: Sequence[Any], reading: Reading) -> Evaluation:
    """The evaluation of some files."""
    found = read_files(paths, reading)
    several = len(found.systems.names) > 1
    return Evaluation.of(found.systems, named=several, by=found.by, notes=found.notes)
