"""read(): files of gold and systems as an Evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any, Unpack

from karat.scoring.evaluation import Evaluation
from karat.scoring.options import verb
from karat.sources.files.options import Reading, ReadingOptions, parameters
from karat.sources.files.reading import read_files
from karat.sources.files.registry import text_formats

PARAMETERS = {name: parameter for name, parameter in parameters().items() if not parameter.internal}
EXPLAINED = {
    "path, others": "One file with all columns, or the gold file and a file for each system, matched on an id column, "
    'or by position where there is one label per row and no id. "-" is standard input; "part-*.parquet" is several '
    "files.",
    **{name: parameter.explanation for name, parameter in PARAMETERS.items()},
    "input": "What a text file is, where its ending does not say: "
    + ", ".join(f'"{name}"' for name in text_formats())
    + ".",
}


@verb(ReadingOptions, {name: parameter.default for name, parameter in PARAMETERS.items()}, EXPLAINED)
def read(path: str | PathLike[str], *others: str | PathLike[str], **options: Unpack[ReadingOptions]) -> Evaluation:
    """Read gold and predicted labels from one file, or from a gold file and a file for each system.

    >>> import karat
    >>> karat.read("nowhere.csv")
    Traceback (most recent call last):
    karat.errors.FileError: there is no file 'nowhere.csv'; check its name.
    """
    return evaluation_of_files([path, *others], Reading.of(**options))


def evaluation_of_files(paths: Sequence[Any], reading: Reading) -> Evaluation:
    """The evaluation of some files."""
    files = read_files(paths, reading)
    several = len(files.systems.names) > 1
    return Evaluation.of(files.systems, named=several, by=files.by, notes=files.notes)
