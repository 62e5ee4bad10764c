"""Output of results: formats, files and standard output."""

from __future__ import annotations

import io
import os
import re
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import Any

from karat.cli.streams import put, waiting
from karat.cli.usage import UsageError
from karat.errors import FileError, Option, Sentence, either
from karat.output.bars import say
from karat.output.layout import PAGE, Layout, delimited, formula_like, shortened, shown, shown_lines, wrapped
from karat.version import __version__

ENDINGS = {".json": "json", ".csv": "csv", ".md": "markdown", ".tex": "latex", ".txt": "text"}
SCHEMA = 1


def in_words_of_the_terminal(text: str) -> str:
    """A message with its options spelt as flags, and control characters escaped."""
    return shown(text.worded(flag) if isinstance(text, Sentence) else text)


def flag(option: Option) -> str:
    """An option as a flag: --missing drop, singletons or cluster."""
    if option.name == "header":
        return "--no-header"
    name = f"--{option.name.replace('_', '-')}"
    return name if option.bare else f"{name} {either(map(str, option.choices)) or '...'}"


def form(chosen: Namespace) -> str:
    """The output format: --format, else by the ending of the file, else text."""
    if chosen.format is not None or chosen.output is None:
        return chosen.format or "text"
    ending = os.path.splitext(chosen.output)[1].lower()
    device = os.path.exists(chosen.output) and not os.path.isfile(chosen.output)
    if ending and ending not in ENDINGS and not device:
        raise UsageError(
            f"{chosen.output!r} does not say its format by {ending!r}; use .json, .csv, .md, .tex or .txt."
        )
    return ENDINGS.get(ending, "text")


def write(chosen: Namespace, text: str) -> None:
    """Write to the output file atomically, or to standard output; formats other than text are UTF-8."""
    if chosen.output is None:
        kind = form(chosen)
        if kind != "text" and isinstance(sys.stdout, io.TextIOWrapper):
            if sys.stdout.isatty():
                text = shown_lines(text, in_json=kind == "json")
            else:
                sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
        put(text)
        return
    stream = _descriptor(chosen.output)
    device = os.path.exists(chosen.output) and not os.path.isfile(chosen.output) and not os.path.isdir(chosen.output)
    if device or stream is not None:  # or a pipe: cannot be replaced atomically
        _put_on_device(chosen, text, stream)
        return
    from karat.output.files import atomic_file

    with (
        atomic_file(chosen.output) as temporary,
        open(temporary, "w", encoding="utf-8", errors="backslashreplace", newline="") as file,
    ):
        file.write(f"{text}\n")


def _put_on_device(chosen: Namespace, text: str, stream: int | None) -> None:
    """Write to a device or a pipe, or to a descriptor; a terminal gets control characters escaped."""
    try:
        opened = os.open(chosen.output, os.O_WRONLY) if stream is None else os.dup(stream)
        with waiting(opened, "utf-8", "backslashreplace", closes=True) as file:
            seen = file.isatty()
            file.write(f"{shown_lines(text, in_json=form(chosen) == 'json') if seen else text}\n")
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise FileError(f"{chosen.output!r} cannot be written ({problem.strerror}); choose another place.") from None


def _descriptor(path: str) -> int | None:
    """The descriptor that a path such as /dev/stdout names, which must not be truncated; else None."""
    match = re.fullmatch(r"/dev/std(?:(out)|err)|/(?:dev|proc/self)/fd/(\d{1,4})", path)
    if match is None:
        return None
    return int(match[2]) if match[2] else 1 if match[1] else 2


def show(
    chosen: Namespace,
    layouts: Callable[[], Sequence[Layout]],
    records: Callable[[], Sequence[dict[str, Any]]],
    document: Callable[[], dict[str, Any]],
    notes: Sequence[str] = (),
) -> None:
    """Write results in the chosen format; only that format is computed."""
    kind = form(chosen)
    if kind == "json":
        write(
            chosen,
            in_json(
                {
                    "karat": __version__,
                    "schema": SCHEMA,
                    **document(),
                    "notes": list(map(in_words_of_the_terminal, notes)),
                }
            ),
        )
    elif kind == "csv":
        rows = records()
        headings = list(dict.fromkeys(key for row in rows for key in row))
        write_csv(chosen, headings, [[_plain(row.get(key)) for key in headings] for row in rows])
    elif kind in ("markdown", "latex"):
        write(chosen, "\n\n".join(layout.markdown() if kind == "markdown" else layout.latex() for layout in layouts()))
    else:
        _text(chosen, layouts(), notes)
        return
    if kind != "json" and not chosen.quiet:
        for note in notes:
            say(in_words_of_the_terminal(note))


def write_csv(chosen: Namespace, headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Write rows unchanged, so that programs read back the labels; warn if a spreadsheet would run a cell."""
    write(chosen, delimited(headings, rows))
    formula = None if chosen.quiet else formula_like(cell for row in (headings, *rows) for cell in row)
    if formula is not None:
        name = shown(shortened(repr(formula), 40))
        say(f"{name} begins like a formula, which a spreadsheet runs; import such columns as text.")


def _text(chosen: Namespace, layouts: Sequence[Layout], notes: Sequence[str]) -> None:
    seen = chosen.output is None and sys.stdout.isatty()
    colour = seen and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    columns = terminal_columns() if seen else None
    parts = [layout.text(columns, quiet=chosen.quiet, colour=colour) for layout in layouts]
    if notes and not chosen.quiet:
        lines = [line for note in notes for line in wrapped(in_words_of_the_terminal(note), columns or PAGE)]
        parts.insert(0, "\n".join(lines))
    write(chosen, "\n\n".join(parts))


def terminal_columns() -> int:
    """The width of the terminal, in columns."""
    try:
        return max(20, int(os.environ["COLUMNS"]))
    except (KeyError, ValueError):
        pass
    try:
        return max(20, os.get_terminal_size(sys.stdout.fileno()).columns)
    except (OSError, ValueError):
        return 80


def in_json(document: Any) -> str:
    """JSON text, with NaN and infinity as null."""
    import json

    plain = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"  # then characters beyond ASCII are escaped
    return json.dumps(_finite(document), ensure_ascii=plain, indent=2, allow_nan=False, default=str)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _finite(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and value - value != 0 else value


def _plain(value: Any) -> Any:
    return "; ".join(map(str, value)) if isinstance(value, list) else value


def check_output(chosen: Namespace) -> None:
    """Refuse output files that cannot be written, are also inputs, or are one, before any work is done."""
    saved = getattr(chosen, "save", None)
    if saved and chosen.output and os.path.realpath(saved) == os.path.realpath(chosen.output):
        raise FileError(f"{saved!r} is named by --save and by --output, and one would replace the other; name two.")
    for output in (chosen.output, getattr(chosen, "save", None)):
        if output is None:
            continue
        folder = os.path.dirname(os.path.abspath(output))
        if not os.path.isdir(folder):
            raise FileError(f"there is no directory {folder!r} to write {os.path.basename(output)!r} in; make it.")
        if any(_same(output, path) for path in _read_by(chosen)):
            raise FileError(f"{output!r} is one of the files that are read; name another for the output.")


def _read_by(chosen: Namespace) -> list[str]:
    """The input files of a command, with patterns expanded."""
    from glob import glob

    names = [*(getattr(chosen, "files", None) or []), *(getattr(chosen, "without", None) or [])]
    return [path for name in names for path in (name, *glob(name))]


def _same(path: str, other: str) -> bool:
    """Whether two paths lead to the same file, links included."""
    try:
        return os.path.samefile(path, other)
    except (OSError, ValueError):  # one does not exist, or is not a valid path
        return False
