"""One label per line."""

from __future__ import annotations

from collections.abc import Iterator

from karat.errors import FileError
from karat.limits import LINE, UNPACKED
from karat.sources.files.inputs import Input
from karat.sources.files.registry import Columns, Format, add

PART = 1 << 22  # characters read at a time


def read_labels(source: Input) -> Columns:
    """Read one label per line, all at once or in batches."""
    return Columns(
        ["label"],
        lambda _: [label for batch in read_lines(source) for label in batch],
        batches=lambda: read_lines(source),
    )


def read_lines(source: Input) -> Iterator[list[str | None]]:
    """Read one label per line, in batches of a few million characters; an empty line is a missing label."""
    from karat.sources.files.text import opened_text, undecodable

    done, size, rest = 0, 0, ""
    try:
        with opened_text(source, newline=None) as text:
            while part := text.read(PART):
                *lines, rest = (rest + part).split("\n")
                if len(rest) > LINE.now:
                    LINE.refuse(f"{source.name!r}, line {done + len(lines) + 1:,}", FileError)
                done, size = done + len(lines), size + len(part)
                if source.packed and size > UNPACKED.now:
                    UNPACKED.refuse(repr(source.name), FileError)
                if lines:
                    yield [line or None for line in lines]
            if rest:
                yield [rest]
    except UnicodeDecodeError as problem:
        byte, where = problem.object[problem.start], f"after line {done:,}" if done else "at its start"
        raise undecodable(source.name, problem.encoding, byte, where) from None


add(
    Format(
        "labels", "one label per line", "also `.txt` without tabs (with tabs it is TSV)",
        "text, by position; an empty line is a missing label", (".labels",), read=read_labels, example="a\nb\n" * 30,
    )
)  # fmt: skip
