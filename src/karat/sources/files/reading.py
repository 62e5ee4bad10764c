"""read_files(): from paths to gold and systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from karat.errors import FileError, Option, Part, Sentence, listed
from karat.foreign import of_files
from karat.labels.alignment import check_system_names
from karat.sources.files.inputs import Input, find_all
from karat.sources.files.matching import matched_in_memory
from karat.sources.files.options import COLUMNS, POLICY, Reading, parameters
from karat.sources.files.paths import temporary_copies, texts
from karat.sources.files.roles import Pairing, pair
from karat.sources.files.sources import file_errors, needs_query, open_source
from karat.tables.systems import AlignedSystems, CountedSystems, Systems
from karat.tables.table import Table

if TYPE_CHECKING:
    from karat.sources.files.database import Database

T = TypeVar("T")


class Read(NamedTuple):
    """The systems in some files, the column of groups, and notes on how files were read."""

    systems: Systems
    by: str | None
    notes: tuple[Sentence, ...]


def read_files(paths: Sequence[Any], reading: Reading) -> Read:
    """Read one file with gold and predicted labels, or a gold file and files of systems."""
    reading.check()
    with of_files(), temporary_copies() as copies:
        inputs = find_all(texts(paths), reading, copies)
        if any(source.format.table is not None for source in inputs):
            return _tables(inputs, reading)
        if not any(map(needs_query, inputs)):
            return _read(inputs, reading, None)
        return by_duckdb(inputs, lambda database: _read(inputs, reading, database), reading)


def by_duckdb(inputs: Sequence[Input], work: Callable[[Database | None], T], reading: Reading) -> T:
    """Call work with a database; if that refuses a text file, call it with None, to read without one."""
    from karat.sources.files.database import Database, RefusedError

    options = reading.options
    database = Database(options["memory"], options["threads"], options["progress"])
    try:
        return work(database)
    except RefusedError as problem:
        queried = [source for source in inputs if needs_query(source)]
        if not all(map(_is_readable_without, queried)):
            raise FileError(problem.whole) from None
        return work(None)
    finally:
        database.close()


def _is_readable_without(source: Input) -> bool:
    """Whether a file can be read without a database."""
    return source.format.read is not None and source.packed == source.zipped


def _tables(inputs: Sequence[Input], reading: Reading) -> Read:
    """Read files that are contingency tables, each a system."""
    for name, parameter in parameters().items():
        given = dict(reading.options)[name]
        if parameter.group in (COLUMNS, POLICY) and given is not None and given not in ((), parameter.default):
            raise FileError(
                f"{inputs[0].name!r} is a table that has been counted already; leave out ", Option(name, bare=True), "."
            )
    tables: dict[str, Table] = {}
    notes: list[Sentence] = []
    for source in inputs:
        if source.format.table is None:
            raise FileError(f"{source.name!r} is no contingency table, but {inputs[0].name!r} is; give only tables.")
        if len(source.paths) > 1:
            raise FileError(f"{source.name!r} matches {len(source.paths)} files; give one, or merge them first.")
        with file_errors(source):
            table, how = source.format.table(source)
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
    options = reading.options
    for role, name in (("by", options["by"]), ("count", options["count"]), ("weights", options["weights"])):
        if name is not None:
            first.check(name, role)
    if options["by"] is None and first.group is not None:
        reading = reading.replaced(by=first.group)
    pairings = pair(sources, reading.gold, reading.pred, options["id"], reading.others)
    check_system_names([pairing.name for pairing in pairings])
    _check_one_id(pairings)
    by_position = not pairings[0].together and pairings[0].gold.item is None
    asked = any(side.source.queried for pairing in pairings for side in (pairing.gold, pairing.pred))
    if database is not None and asked and not by_position:
        from karat.sources.files.counting import queried

        systems = queried(pairings, reading, database)
    else:
        systems = AlignedSystems(matched_in_memory(pairings, reading))
    notes = (*notes_on(pairings), *_hints(pairings, systems, reading))
    return Read(systems, reading.options["by"], notes)


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
            text = side.source.input.kind in ("csv", "tsv") and reading.options["header"]
            if text and any(side.label in getattr(table, labels) for table in tables):
                where = f"{side.source.input.name!r} has {side.column} in its first line and as a label"
                yield Sentence(f"{where}; say ", Option("header", (False,)), " if that line is no heading")
        if reading.policy.noise_as is not None and not any(table.policy.noise_items for table in tables):
            yield Sentence(f"noise label {reading.policy.noise!r} does not occur in {pairing.pred}")
    empty = () if systems.groups is None else systems.groups.empty
    if empty:
        yield Sentence(f"{len(empty)} groups are left out, since none of their items is left: {listed(empty)}")
    if "count" in first.gold.source.columns and reading.options["count"] is None and first.together:
        name = first.gold.source.input.name
        yield Sentence(
            f"{name!r} has a column 'count'; if its rows are cells of a table, say ", Option("count", ("count",))
        )


def _tables_of(systems: Systems, name: str) -> list[Table]:
    """The tables of a system: one, or one per group."""
    by_system: Any = [systems.tables] if systems.groups is None else list(systems.groups.values())
    return [tables[name] for tables in by_system]
