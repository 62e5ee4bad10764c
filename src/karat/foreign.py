"""Errors of other libraries (engines, frames, arrays), raised again as one sentence.

An error in the user's own code, such as an iterator or a dict given as labels, passes unchanged: its type and its
traceback say more than a sentence of karat could.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from karat.errors import FileError, KaratError

UNCLEAR = (
    KeyError,
    IndexError,
    AttributeError,
    AssertionError,
    StopIteration,
    TypeError,
)  # whose messages need their type

TOO_LONG = "a number of more than 4,300 digits"  # Python's own message tells how to raise the limit
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS, errno.EMFILE)  # not a matter of the data


@contextmanager
def translated(sentence: Callable[[str], str], error: type[KaratError] = KaratError) -> Iterator[None]:
    """Raise any exception of the with block as an error of karat, with the message sentence(reason).

    Errors of karat pass, and a NameError does, which is a mistake in karat's code and says nothing of the data.

    >>> with translated(lambda reason: f"the table cannot be read ({reason})."):
    ...     {}["x"]
    Traceback (most recent call last):
    karat.errors.KaratError: the table cannot be read (KeyError 'x').
    """
    try:
        yield
    except (KaratError, NameError):
        raise
    except MemoryError as problem:
        raise error(sentence("not enough memory")) from problem
    except Exception as problem:
        raise error(sentence(first_line(problem))) from problem
    except BaseException as problem:
        if type(problem).__name__ != "PanicException":  # of Polars, which does not derive from Exception
            raise
        raise error(sentence(first_line(problem))) from problem


@contextmanager
def of_files() -> Iterator[None]:
    """Raise an OSError, such as for a file removed while it is read, as a FileError that names the file."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as problem:
        file = "a file" if problem.filename is None else repr(os.fsdecode(problem.filename))
        reason = problem.strerror or first_line(problem)
        raise FileError(f"{file} cannot be read ({reason}); check that it is there, and its permissions.") from problem


def first_line(problem: BaseException, most: int = 200) -> str:
    """The first line of an exception's message, with its type where the message alone is unclear.

    Where a library quotes the operating system, as for a full disk, only that reason.
    """
    try:
        text = (isinstance(problem, OSError) and problem.strerror) or str(problem)
        text = quoted_reason(text) or (TOO_LONG if "set_int_max_str_digits" in text else text)
        lines = [line.strip() for line in text.splitlines() if line.strip()]
    except Exception:  # a foreign class
        lines = []
    message = re.sub(r" at 0x[0-9a-fA-F]+", "", lines[0])[:most].rstrip(". ") if lines else ""
    named = not message or isinstance(problem, UNCLEAR)
    return f"{type(problem).__name__} {message}".rstrip() if named else message


def quoted_reason(text: str) -> str:
    """The operating system's reason that a message quotes, if it is one of FULL; else an empty text.

    >>> quoted_reason('IO Error: write failed: {"message": "No space left on device"}')
    'No space left on device'
    """
    return next((reason for reason in map(os.strerror, FULL) if reason in text), "")


def type_and_message(problem: BaseException) -> str:
    """The type of an exception in the user's code, and the first line of its message."""
    message = first_line(problem, 100)
    return message if message.startswith(type(problem).__name__) else f"{type(problem).__name__} {message}"
