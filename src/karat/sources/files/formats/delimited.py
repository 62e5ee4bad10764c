"""CSV and TSV files: read by the standard library, by DuckDB if they are large or compressed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from karat.errors import FileError
from karat.limits import COLUMNS, FIELD, LINE
from karat.sources.files.inputs import Input
from karat.sources.files.registry import Columns, Format, Header, Query, add

if TYPE_CHECKING:
    from karat.sources.files.database import Database


def read_delimited(source: Input) -> Columns:
    """Read a CSV or TSV file; an empty field is a missing value, all others are text."""
    rows = records(source)
    first = next(rows, None)
    if first is None:
        raise FileError(f"{source.name!r} has no rows; give a file with labels in it.")
    COLUMNS.check(len(first), repr(source.name), FileError)
    names = first if source.options["header"] else _numbers(first)
    columns: list[list[Any]] = [[] for _ in names]
    if not source.options["header"]:
        for column, value in zip(columns, first, strict=True):
            column.append(value or None)
    lines = list(rows)
    if lines:
        for column, values in zip(columns, zip(*lines, strict=True), strict=True):
            column.extend([value or None for value in values])
    return Columns.of(names, columns)


def records(source: Input, delimiter: str | None = None) -> Iterator[list[str]]:
    """The records of a delimited file, all of the same length; empty lines are skipped, unless there is one column."""
    import csv
    import io

    from karat.sources.files.text import decoded

    with _long_fields():
        text = io.StringIO(decoded(source), newline="")
        reader = csv.reader(text, delimiter=delimiter or source.delimiter, strict=True)
        size = 0
        try:
            for row in reader:
                if not row and size != 1:
                    continue
                row = row or [""]
                size = size or len(row)
                if len(row) != size:
                    raise FileError(
                        f"{source.name!r} has {len(row)} fields in line {reader.line_num} but {size} in the first; "
                        "mend the line, or quote the fields that contain the delimiter."
                    )
                yield row
        except csv.Error as problem:
            raise FileError(
                f"{source.name!r} is not well-formed in line {reader.line_num} ({problem}); mend it."
            ) from None


@contextmanager
def _long_fields() -> Iterator[None]:
    """Have the csv module accept fields as long as the limit FIELD."""
    import csv

    before = csv.field_size_limit(FIELD.now)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _numbers(fields: list[str]) -> list[str]:
    """The names of columns of a file without a header: 1, 2, ..."""
    return [str(index + 1) for index in range(len(fields))]


def header_of(database: Database, source: Input) -> Header:
    """The names in the first record; in queries columns are called c0, c1, ..."""
    from karat.sources.files import sql
    from karat.sources.files.contents import is_usual
    from karat.sources.files.database import RefusedError

    if sql.encoding(source) not in ("utf-8", "latin-1") or not source.delimiter.isascii():
        raise RefusedError(f"{source.name!r} is in an encoding that DuckDB does not read; unpack it.")
    by_duckdb = source.packed and not source.zipped
    if not (_is_usual_by_duckdb(database, source) if by_duckdb else is_usual(source)):
        raise RefusedError(
            f"{source.name!r} has spaces beside quotes, or records of different lengths; unpack it, or mend it."
        )
    try:
        first = _record_by_duckdb(database, source) if by_duckdb else first_record(source)
    except UnicodeDecodeError:
        raise RefusedError(f"{source.name!r} has text that is not in its encoding; mend it.") from None
    if not first:  # readers disagree on an empty line
        raise RefusedError(f"{source.name!r} begins with an empty line; remove it.")
    names = first if source.options["header"] else _numbers(first)
    return Header(tuple(names), tuple(f"c{index}" for index in range(len(names))))


def first_record(source: Input) -> list[str] | None:
    """The first record of a delimited file; None if its first line is empty."""
    import csv

    from karat.sources.files.text import opened_text

    with _long_fields(), opened_text(source, newline="") as text:
        record = next(csv.reader(_record(text, source), delimiter=source.delimiter, strict=True), None) or None
    COLUMNS.check(len(record or ()), repr(source.name), FileError)
    return record


def _record(text: IO[str], source: Input) -> Iterator[str]:
    """The lines of a file; refused once they are too long to be one record."""
    left = LINE.now
    while line := text.readline(left + 1):
        left -= len(line)
        if left < 0:
            LINE.refuse(f"{source.name!r}, first record", FileError)
        yield line


def _record_by_duckdb(database: Database, source: Input) -> list[str]:
    """The first record of a file that only DuckDB decompresses: fetch raw lines, and parse them as CSV."""
    import csv

    query = f"SELECT line FROM {_lines_by_duckdb(source)} LIMIT 100"
    lines = [row[0] or "" for row in database.all(query, source.name, in_order=True)]
    try:
        first = lines[0].removeprefix("\ufeff")
        return next(csv.reader([first, *lines[1:]], delimiter=source.delimiter, strict=True), [])
    except (csv.Error, IndexError):
        raise FileError(f"{source.name!r} has no columns that can be read; check that it is complete.") from None


def _lines_by_duckdb(source: Input) -> str:
    """SQL of the lines of a file, in a column called line."""
    from karat.sources.files import sql

    raw = "columns={'line': 'VARCHAR'}, auto_detect=false, header=false, delim='\x01', quote='', escape=''"
    options = ", ".join([raw, sql.IN_ORDER, "hive_partitioning=false", *sql.packing(source)])
    return f"read_csv({sql.paths(source)}, {options})"


def _is_usual_by_duckdb(database: Database, source: Input) -> bool:
    """Whether DuckDB and the standard library read a file alike that only DuckDB decompresses, line by line."""
    from karat.kernels.records import ends_well, new_scan, scan_records

    state = new_scan()
    for lines in database.some(f"SELECT line FROM {_lines_by_duckdb(source)}", source.name):
        text = "".join(f"{line or ''}\n" for (line,) in lines)
        scan_records(text.encode(), ord(source.delimiter), state)
    return ends_well(state)


def rows_of(database: Database, source: Input, size: int) -> str:
    """SQL that reads a delimited file with size columns, all of them text."""
    from karat.sources.files import sql
    from karat.sources.files.database import RefusedError

    if len({sql.encoding(source._replace(paths=(path,))) for path in source.paths}) > 1:
        raise RefusedError(f"{source.name!r} are files in several encodings; give them in one.")
    columns = ", ".join(f"'c{index}': 'VARCHAR'" for index in range(size))
    options = [
        f"columns={{{columns}}}", "auto_detect=false", f"header={str(source.options['header']).lower()}", "nullstr=''",
        f"delim={sql.text(source.delimiter)}", "quote='\"'", "escape='\"'", f"encoding='{sql.encoding(source)}'",
        "hive_partitioning=false", *sql.packing(source),
    ]  # fmt: skip
    if source.packed and not source.zipped:
        options.append(sql.IN_ORDER)
    return f"read_csv({sql.paths(source)}, {', '.join(options)})"


ABOUT = "the first line names the columns, unless `--no-header`"
LABELS = "text as it stands: `001` is not `1`, `NA` is a label; an empty field is a missing label"
QUERY = Query(header_of, rows_of)

add(
    Format(
        "csv", "CSV", ABOUT, LABELS, (".csv",), read=read_delimited, query=QUERY,
        example="id,class,cluster\n" + "".join(f"{i},c{i % 3},{i % 4}\n" for i in range(20)),
    ),
    Format(
        "tsv", "TSV", ABOUT, LABELS, (".tsv", ".tab"), read=read_delimited, query=QUERY, delimiter="\t",
        example="id\tclass\tcluster\n" + "".join(f"{i}\tc{i % 3}\t{i % 4}\n" for i in range(20)),
    ),
)  # fmt: skip
