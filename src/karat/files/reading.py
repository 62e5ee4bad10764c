"""read(): from the paths that a user has to the tables that they give."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeVar

from karat.alignment import Missing, NoiseAs, Policy
from karat.errors import FileError, listed
from karat.files.inputs import TABULAR, Input, Kind, find, tells
from karat.files.matching import Task, by_position, in_memory
from karat.files.roles import Pairing, pair
from karat.files.sources import needs_query, open_source
from karat.foreign import of_files
from karat.tables import Table

if TYPE_CHECKING:
    from karat.files.queries import Database

T = TypeVar("T")


@dataclass(frozen=True)
class Reading:
    """The tables in some files: one for each system, or one for each of its groups; notes tell how they were read."""

    tables: Mapping[str, Table] = field(default_factory=dict)
    groups: Mapping[str, Mapping[Any, Table]] = field(default_factory=dict)
    by: str | None = None
    notes: tuple[str, ...] = ()


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
    input: Kind | None = None,
    encoding: str = "utf-8",
    header: bool = True,
    delimiter: str | None = None,
    memory: str = "2GB",
    threads: int | None = None,
    progress: bool = False,
) -> Reading:
    """The contingency tables of a file with gold and predicted labels, or of a gold file and systems' files.

    path: one file with both columns, or the gold file; others: files of predicted labels, matched on an id column, or
    by position where there is one label per row and no id. "-" is standard input; "part-*.parquet" is several files.
    gold, pred, id, by, weights, count: columns; what is not named is guessed from the names of the columns, and
    Reading.notes tells. by gives a table for each of its values; count says that rows are cells of a table. Several
    columns of gold are taken together: classes are their combinations, as cross() makes them.
    input: what a text file is, where its ending does not say: "csv", "tsv", "jsonl", "labels", "matrix", "communities"
    or "senseval". memory and threads limit DuckDB, which reads Parquet, compressed files and text from 10 MB.

    >>> import karat
    >>> karat.read("nowhere.csv")
    Traceback (most recent call last):
    karat.errors.FileError: there is no file 'nowhere.csv'; check its name.
    """
    check_options(count, weights, missing, noise, noise_as)
    preds = [pred] if isinstance(pred, str) else list(pred)
    task = Task(by, count if weights is None else weights, count is not None, missing, noise, noise_as)
    golds = gold if gold is None or isinstance(gold, str) else gold[0] if len(gold) == 1 else tuple(gold) or None
    columns = {"gold": golds, "preds": preds, "item": id}
    copies: list[str] = []
    with of_files(), taken_away(copies):
        names = _paths([path, *others])
        kinds = _kinds(names, input)
        inputs = [
            find(name, kind, encoding=encoding, header=header, delimiter=delimiter, copies=copies)
            for name, kind in zip(names, kinds, strict=True)
        ]
        if any(name.kind in ("table", "matrix") or is_saved(name) for name in inputs):
            return _tables(inputs, task, columns)
        if not any(map(needs_query, inputs)):
            return _read(inputs, task, columns, None)
        return by_duckdb(inputs, lambda database: _read(inputs, task, columns, database), memory, threads, progress)


@contextmanager
def taken_away(copies: list[str]) -> Iterator[None]:
    """Remove the copies of streams in the end."""
    try:
        yield
    finally:
        for copy in copies:
            if copy != "-":
                os.unlink(copy)


def check_options(
    count: str | None, weights: str | None, missing: Missing, noise: Any, noise_as: NoiseAs | None
) -> None:
    """Refuse options that contradict each other, before anything is read."""
    Policy(missing, noise, noise_as)
    if count is not None and (weights is not None or missing != "raise" or noise is not None):
        given = "weights" if weights is not None else "missing" if missing != "raise" else "noise"
        raise FileError(f"count={count!r} says that the rows are counted already; leave out {given}.")


def _paths(names: Sequence[Any]) -> list[str]:
    try:
        return [os.fsdecode(name) for name in names]
    except TypeError:
        raise FileError(f"{names!r} are no paths; give each file's path as text, one after the other.") from None


def _kinds(names: Sequence[str], kind: Kind | None) -> list[Kind | None]:
    """To which files the kind applies: to those whose ending does not tell, if there are any, else to all."""
    silent = [tells(name) is None for name in names]
    return [kind if quiet or not any(silent) else None for quiet in silent]


def by_duckdb(
    inputs: Sequence[Input],
    work: Callable[[Database | None], T],
    memory: str,
    threads: int | None,
    progress: bool = False,
) -> T:
    """What work makes with a database; text that the database refuses is read without one."""
    from karat.files.headers import RefusedError
    from karat.files.queries import Database

    database = Database(memory, threads, progress)
    try:
        return work(database)
    except RefusedError as problem:
        asked = [name for name in inputs if needs_query(name)]
        if any(name.kind not in TABULAR or len(name.paths) > 1 or name.packed != name.zipped for name in asked):
            raise FileError(str(problem)) from None
        return work(None)
    except database.duckdb.Error as problem:  # of what was read so far
        reason = str(problem).split("\n", 1)[0].removesuffix(".")
        names = listed([name.name for name in inputs], 3)
        raise FileError(f"{names} cannot be read ({reason}); check that what you give is whole.") from None
    except RuntimeError as problem:
        if "interrupted" in str(problem):  # which is how DuckDB hears of Ctrl-C
            raise KeyboardInterrupt from None
        raise
    finally:
        database.close()


def is_saved(source: Input) -> bool:
    """Whether a Parquet file is a table that karat saved."""
    if source.kind != "parquet" or len(source.paths) > 1:
        return False
    with open(source.path, "rb") as file:
        file.seek(max(0, source.size - (1 << 20)))
        end = file.read()
    return b"karat" in end and b'"karat": "table"' in end


def _tables(inputs: Sequence[Input], task: Task, columns: Mapping[str, Any]) -> Reading:
    """Files that are contingency tables, each a system."""
    options = {
        "gold": columns["gold"], "pred": columns["preds"], "id": columns["item"], "by": task.by, "noise": task.noise,
        "count" if task.counted else "weights": task.weights, "missing": task.missing != "raise",
    }  # fmt: skip
    for name, given in options.items():
        if given:
            raise FileError(f"{inputs[0].name!r} is a table that has been counted already; leave out {name}.")
    tables: dict[str, Table] = {}
    notes: list[str] = []
    for source in inputs:
        how = "a contingency table"
        if source.kind == "matrix":
            from karat.files.text import read_matrix

            table, how = read_matrix(source)
        elif source.kind == "table" or is_saved(source):
            table = Table.load(source.path)
        else:
            raise FileError(f"{source.name!r} is no contingency table, but {inputs[0].name!r} is; give only tables.")
        name = source.stem if source.stem not in tables else source.name
        if name in tables:
            raise FileError(f"{name!r} is given more than once; give each table once.")
        tables[name] = table
        notes.append(f"{name!r} is {how}")
    return Reading(tables, notes=tuple(notes))


def _read(inputs: Sequence[Input], task: Task, columns: Mapping[str, Any], database: Database | None) -> Reading:
    sources = [open_source(source, database) for source in inputs]
    first = sources[0]
    for role, name in (("by", task.by), ("count" if task.counted else "weights", task.weights)):
        if name is not None:
            first.check(name, role)
    if task.by is None and first.group is not None:
        task = task._replace(by=first.group)
    pairings = pair(
        sources, columns["gold"], columns["preds"], columns["item"], [n for n in (task.by, task.weights) if n]
    )
    found: dict[str, Any] = {}
    for pairing in pairings:
        if not pairing.together and pairing.gold.item is None:
            found[pairing.name] = by_position(pairing, task)
        elif database is not None and (pairing.gold.source.queried or pairing.pred.source.queried):
            from karat.files.counting import queried

            found[pairing.name] = queried(pairing, task, database)
        else:
            found[pairing.name] = in_memory(pairing, task)
    notes = (*notes_on(pairings), *_hints(pairings, found, task))
    return Reading({}, found, task.by, notes) if task.by is not None else Reading(found, notes=notes)


def notes_on(pairings: Sequence[Pairing]) -> Iterator[str]:
    """What was taken for what."""
    first = pairings[0]
    if first.together:
        columns = ", ".join(pairing.pred.column for pairing in pairings)
        are = "is column" if len(pairings) == 1 else "are columns"
        yield f"{first.gold.source.input.name!r}: gold is column {first.gold.column}, predicted {are} {columns}"
    else:
        for _, group in groupby(pairings, key=lambda pairing: id(pairing.pred.source)):
            yield _pairing_note(list(group))
    sources = {id(side.source): side.source for pairing in pairings for side in (pairing.gold, pairing.pred)}
    yield from (f"{source.input.name!r}: {source.note}" for source in sources.values() if source.note)
    guessed = [role for role in first.guessed if role != "id" or first.gold.item is not None]
    only = all(len(side.source.columns) == 1 for side in (first.gold, first.pred))
    if guessed and not only and first.gold.source.label is None:
        yield f"columns were guessed; name them if that is wrong: {', '.join(f'{role}=...' for role in guessed)}"


def _pairing_note(pairings: Sequence[Pairing]) -> str:
    """What was taken for what, of a file's systems."""
    first = pairings[0]
    if len(pairings) == 1:
        return f"gold is {first.gold}, predicted is {first.pred}, matched {first.matched}"
    columns = listed([str(pairing.pred.label) for pairing in pairings], 4)
    return (
        f"gold is {first.gold}, predicted are columns of {first.pred.source.input.name!r}: {columns}, "
        f"matched {first.matched}"
    )


def _hints(pairings: Sequence[Pairing], found: Mapping[str, Any], task: Task) -> Iterator[str]:
    """What may be a mistake."""
    first = pairings[0]
    for pairing in pairings:
        tables = list(found[pairing.name].values()) if task.by is not None else [found[pairing.name]]
        for side, labels in ((pairing.gold, "classes"), (pairing.pred, "clusters")):
            text = side.source.input.kind in ("csv", "tsv") and side.source.input.header
            if text and any(side.label in getattr(table, labels) for table in tables):
                where = f"{side.source.input.name!r} has {side.column} in its first line and as a label"
                yield f"{where}; say header=False if that line is no heading"
        if task.noise is not None and not any(table.policy.noise_items for table in tables):
            yield f"noise label {task.noise!r} does not occur in {pairing.pred}"
        empty = getattr(found[pairing.name], "empty", ())
        if empty:
            yield f"{len(empty)} groups are left out, since none of their items is left: {listed(empty)}"
    if "count" in first.gold.source.columns and not task.counted and first.together:
        name = first.gold.source.input.name
        yield f"{name!r} has a column 'count'; if its rows are cells of a table, say count='count'"
