"""What other libraries raise, as one sentence: calls of engines, frames and arrays go through here.

An error that the user's own code raises, such as an iterator or a dict given as labels, passes unchanged: the user
knows it by its type and its trace, and no sentence of karat would say more.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from karat.errors import FileError, KaratError


@contextmanager
def translated(sentence: Callable[[str], str], error: type[KaratError] = KaratError) -> Iterator[None]:
    """Raise what fails inside as an error of karat, whose cause it stays; sentence is told the reason.

    >>> with translated(lambda reason: f"the table cannot be read ({reason})."):
    ...     {}["x"]
    Traceback (most recent call last):
    karat.errors.KaratError: the table cannot be read (KeyError 'x').
    """
    try:
        yield
    except KaratError:
        raise
    except MemoryError as problem:
        raise error(sentence("not enough memory")) from problem
    except Exception as problem:
        raise error(sentence(first_line(problem))) from problem
    except BaseException as problem:
        if type(problem).__name__ != "PanicException":  # of Polars, which is no Exception
            raise
        raise error(sentence(first_line(problem))) from problem


@contextmanager
def of_files() -> Iterator[None]:
    """Raise what the system says of a file, such as one that goes while it is read, as an error that names the file."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as problem:
        file = "a file" if problem.filename is None else repr(os.fsdecode(problem.filename))
        reason = problem.strerror or first_line(problem)
        raise FileError(f"{file} cannot be read ({reason}); check that it is there, and its permissions.") from problem


def first_line(problem: BaseException, most: int = 200) -> str:
    """What a problem says first, without the traces that may follow, and its type where that says nothing."""
    try:
        lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    except Exception:  # of somebody else's class
        lines = []
    said = lines[0][:most].rstrip(". ") if lines else ""
    named = not said or isinstance(problem, (KeyError, AttributeError, AssertionError, StopIteration))
    return f"{type(problem).__name__} {said}".rstrip() if named else said


def told(problem: BaseException) -> str:
    """The type of a problem of the user's own code, and what it says first."""
    said = first_line(problem, 100)
    return said if said.startswith(type(problem).__name__) else f"{type(problem).__name__} {said}"
