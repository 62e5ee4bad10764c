"""read_files(): from paths to gold and systems."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from karat.errors import FileError, Option, Part, Sentence, listed
from karat.foreign import of_files
from karat.sources.files.inputs import TABULAR, Input, Kind, find, tells
from karat.sources.files.matching import matched_in_memory
from karat.sources.files.options import Reading
from karat.sources.files.roles import Pairing, pair
from karat.sources.files.sources import needs_query, open_source
from karat.tables.systems import AlignedSystems, CountedSystems, Systems
from karat.tables.table import Table

if TYPE_CHECKING:
    from karat.sources.files.queries import Database

T = TypeVar("T")


class Read(NamedTuple):
    """The systems in some files, the column of groups, and notes on how files were read."""

    systems: Systems
    by: str | None
    notes: tuple[Sentence, ...]


def read_files(paths: Sequence[Any], reading: Reading) -> Read:
    """Read one file with gold and predicted labels, or a gold file and files of systems."""
    copies: list[str] = []
    with of_files(), taken_away(copies):
        names = _paths(paths)
        kinds = _kinds(names, reading.input)
        options: Any = {"encoding": reading.encoding, "header": reading.header, "delimiter": reading.delimiter}
        inputs = [find(name, kind, copies=copies, **options) for name, kind in zip(names, kinds, strict=True)]
        if any(name.kind in ("table", "matrix") or is_saved(name) for name in inputs):
            return _tables(inputs, reading)
        if not any(map(needs_query, inputs)):
            return _read(inputs, reading, None)
        return by_duckdb(inputs, lambda database: _read(inputs, reading, database), reading)


@contextmanager
def taken_away(copies: list[str]) -> Iterator[None]:
    """Remove the temporary copies of streams at the end of a with block."""
    try:
        yield
    finally:
        for copy in copies:
            if copy != "-":
                os.unlink(copy)


def _paths(names: Sequence[Any]) -> list[str]:
    try:
        return [os.fsdecode(name) for name in names]
    except TypeError:
        raise FileError(f"{names!r} are no paths; give each file's path as text, one after the other.") from None


def _kinds(names: Sequence[str], kind: Kind | None) -> list[Kind | None]:
    """The format of each file: kind applies to files without a known ending if there are any, else to all."""
    unknown = [tells(name) is None for name in names]
    return [kind if unclear or not any(unknown) else None for unclear in unknown]


def by_duckdb(inputs: Sequence[Input], work: Callable[[Database | None], T], reading: Reading) -> T:
    """Call work with a database; if that refuses a text file, call it with None, to read without one."""
    from karat.sources.files.headers import RefusedError
    from karat.sources.files.queries import Database

    database = Database(reading.memory, reading.threads, reading.progress)
    try:
        return work(database)
    except RefusedError as problem:
        asked = [name for name in inputs if needs_query(name)]
        if any(name.kind not in TABULAR or len(name.paths) > 1 or name.packed != name.zipped for name in asked):
            raise FileError(str(problem)) from None
        return work(None)
    except database.duckdb.Error as problem:  # raised by a later query
        reason = str(problem).split("\n", 1)[0].removesuffix(".")
        names = listed([name.name for name in inputs], 3)
        raise FileError(f"{names} cannot be read ({reason}); check that what you give is whole.") from None
    except RuntimeError as problem:
        if "interrupted" in str(problem):  # DuckDB's error after Ctrl-C
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


def _tables(inputs: Sequence[Input], reading: Reading) -> Read:
    """Read files that are contingency tables, each a system."""
    policy = reading.policy
    options = {
        "gold": reading.gold, "pred": reading.pred, "id": reading.id, "by": reading.by, "noise": policy.noise_as,
        "count": reading.count, "weights": reading.weights, "missing": policy.missing != "raise",
        "ignore": policy.ignore is not None,
    }  # fmt: skip
    for name, given in options.items():
        if given:
            raise FileError(
                f"{inputs[0].name!r} is a table that has been counted already; leave out ", Option(name, bare=True), "."
            )
    tables: dict[str, Table] = {}
    notes: list[Sentence] = []
    for source in inputs:
        how = "a contingency table"
        if source.kind == "matrix":
            from karat.sources.files.text import read_matrix

            table, how = read_matrix(source)
        elif source.kind == "table" or is_saved(source):
            table = Table.load(source.path)
        else:
            raise FileError(f"{source.name!r} is no contingency table, but {inputs[0].name!r} is; give only tables.")
        name = source.stem if source.stem not in tables else source.name
        if name in tables:
            raise FileError(f"{name!r} is given more than once; give each table once.")
        tables[name] = table
        notes.append(Sentence(f"{name!r} is {how}"))
    dropped = max(table.policy.dropped for table in tables.values())
    return Read(CountedSystems(tables, None, dropped), None, tuple(notes))


def _read(inputs: Sequence[Input], reading: Reading, database: Database | None) -> Read:
    sources = [open_source(source, database) for source in inputs]
    first = sources[0]
    for role, name in (("by", reading.by), ("count", reading.count), ("weights", reading.weights)):
        if name is not None:
            first.check(name, role)
    if reading.by is None and first.group is not None:
        reading = replace(reading, by=first.group)
    pairings = pair(sources, reading.gold, reading.pred, reading.id, reading.others)
    _check_one_id(pairings)
    by_position = not pairings[0].together and pairings[0].gold.item is None
    asked = any(side.source.queried for pairing in pairings for side in (pairing.gold, pairing.pred))
    if database is not None and asked and not by_position:
        from karat.sources.files.counting import queried

        systems = queried(pairings, reading, database)
    else:
        systems = AlignedSystems(matched_in_memory(pairings, reading))
    notes = (*notes_on(pairings), *_hints(pairings, systems, reading))
    return Read(systems, reading.by, notes)


def _check_one_id(pairings: Sequence[Pairing]) -> None:
    """Refuse systems that would be matched on different columns of gold."""
    columns = list(dict.fromkeys(pairing.gold.item for pairing in pairings))
    if len(columns) > 1 and None not in columns:
        name = pairings[0].gold.source.input.name
        raise FileError(
            f"systems are matched on different columns of {name!r}, {listed(columns)}; say which, as ",
            Option("id"),
            ".",
        )


def notes_on(pairings: Sequence[Pairing]) -> Iterator[Sentence]:
    """Notes on which columns were used as gold and predicted labels, and which were guessed."""
    first = pairings[0]
    if first.together:
        columns = ", ".join(pairing.pred.column for pairing in pairings)
        are = "is column" if len(pairings) == 1 else "are columns"
        yield Sentence(
            f"{first.gold.source.input.name!r}: gold is column {first.gold.column}, predicted {are} {columns}"
        )
    else:
        for _, group in groupby(pairings, key=lambda pairing: id(pairing.pred.source)):
            yield Sentence(_pairing_note(list(group)))
    sources = {id(side.source): side.source for pairing in pairings for side in (pairing.gold, pairing.pred)}
    yield from (Sentence(f"{source.input.name!r}: {source.note}") for source in sources.values() if source.note)
    guessed = [role for role in first.guessed if role != "id" or first.gold.item is not None]
    only = all(len(side.source.columns) == 1 for side in (first.gold, first.pred))
    if guessed and not only and first.gold.source.label is None:
        parts: list[Part] = ["columns were guessed; name them if that is wrong: "]
        for role in guessed:
            parts += [*([", "] if len(parts) > 1 else []), Option(role)]
        yield Sentence(*parts)


def _pairing_note(pairings: Sequence[Pairing]) -> str:
    """A note on which columns were used for the systems of one file."""
    first = pairings[0]
    if len(pairings) == 1:
        return f"gold is {first.gold}, predicted is {first.pred}, matched {first.matched}"
    columns = listed([str(pairing.pred.label) for pairing in pairings], 4)
    return (
        f"gold is {first.gold}, predicted are columns of {first.pred.source.input.name!r}: {columns}, "
        f"matched {first.matched}"
    )


def _hints(pairings: Sequence[Pairing], systems: Systems, reading: Reading) -> Iterator[Sentence]:
    """Notes on possible mistakes of the user."""
    first = pairings[0]
    for pairing in pairings:
        tables = _tables_of(systems, pairing.name)
        for side, labels in ((pairing.gold, "classes"), (pairing.pred, "clusters")):
            text = side.source.input.kind in ("csv", "tsv") and side.source.input.header
            if text and any(side.label in getattr(table, labels) for table in tables):
                where = f"{side.source.input.name!r} has {side.column} in its first line and as a label"
                yield Sentence(f"{where}; say ", Option("header", (False,)), " if that line is no heading")
        if reading.policy.noise_as is not None and not any(table.policy.noise_items for table in tables):
            yield Sentence(f"noise label {reading.policy.noise!r} does not occur in {pairing.pred}")
    empty = () if systems.groups is None else systems.groups.empty
    if empty:
        yield Sentence(f"{len(empty)} groups are left out, since none of their items is left: {listed(empty)}")
    if "count" in first.gold.source.columns and reading.count is None and first.together:
        name = first.gold.source.input.name
        yield Sentence(
            f"{name!r} has a column 'count'; if its rows are cells of a table, say ", Option("count", ("count",))
        )


def _tables_of(systems: Systems, name: str) -> list[Table]:
    """The tables of a system: one, or one per group."""
    tables: Any = [systems.tables] if systems.groups is None else list(systems.groups.values())
    return [found[name] for found in tables]
