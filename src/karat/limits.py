"""Limits on one request, each with its reason and the remedy in its error message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from karat.errors import KaratError


class Limit(NamedTuple):
    """A maximum, of what, why, and the remedy when it is exceeded."""

    most: int
    of: str
    why: str
    remedy: str

    def check(self, asked: float, what: str, error: type[KaratError] = KaratError) -> None:
        """Refuse a number above the limit; what names the option or the file in the message.

        >>> Limit(10, "draws", "each takes a second", "draw fewer").check(5, "samples")
        """
        if asked > self.now:
            number = f"{asked:,}" if asked < 10**15 else f"{float(min(asked, 1e300)):.3g}"
            raise error(f"{what}: {number} {self.of}, but {self.now:,} is the most ({self.why}); {self.remedy}.")

    def refuse(self, what: str, error: type[KaratError] = KaratError) -> None:
        """Raise the error for more than the limit, where the exact number is unknown."""
        raise error(f"{what}: more than {self.now:,} {self.of} ({self.why}); {self.remedy}.")

    @property
    def now(self) -> int:
        """The limit in force, which lowered() may have reduced."""
        return min(self.most, _lowered.get().get(self, self.most))


_lowered: ContextVar[Mapping[Limit, int]] = ContextVar("lowered", default={})  # noqa: B039 (never mutated)


@contextmanager
def lowered(most: Mapping[Limit, int]) -> Iterator[None]:
    """Lower some limits within a with block, such as for uploaded files.

    >>> with lowered({LINE: 10}):
    ...     LINE.now
    10
    """
    before = _lowered.set({**_lowered.get(), **most})
    try:
        yield
    finally:
        _lowered.reset(before)


SMALLEST_P = 1e-300  # the smallest p-value given: far beyond what approximations can tell, and never 0

TEXT = Limit(2_000, "characters", "no measure needs more", "shorten the text")
NESTING = Limit(5, "levels of parentheses", "measures are derived from measures once or twice", "leave some out")
RESAMPLES = Limit(1_000_000, "resamples", "a thousand give a standard error to 2 %", "give fewer")
BACKGROUNDS = Limit(100_000, "random backgrounds", "a hundred take a second for each measure", "give fewer tries")
ITEMS = Limit(1_000_000_000, "items in a list", "they take 16 GB", "score fewer items, or a measure that needs none")
STACK = Limit(1_000_000_000, "cells in a stack of dense tables", "they take 8 GB", "score the tables one by one")
DRAWS = Limit(
    1_000_000,
    "random clusterings (for nested measures, the product of their numbers)",
    "ten thousand give a mean to 1 % of its spread",
    "give fewer samples",
)
SYSTEMS = Limit(100_000, "systems", "each is counted against gold, in a third of a millisecond", "score them in parts")
COMPARED = Limit(1_000, "systems in pairs", "there are half a million pairs of them", "choose some, such as the best")
DRAWN = Limit(
    200, "classes or clusters in a picture", "more take minutes, and cannot be told apart", "draw the largest"
)
REPORTED = Limit(
    100, "systems on one page", "each is drawn, and compared with every other", "choose some, such as the best"
)

# Limits of karat app, lower than those of the command line, since its files may be uploaded by others. karat app
# --limit raises the bytes, and seconds and memory in proportion.
APP_BYTES = Limit(
    100_000_000, "bytes", "a report on as many takes up to a minute and 4 GB", "use karat report, or karat app --limit"
)
APP_HEAD = Limit(100_000, "bytes of names and options", "forty files and ten options need fewer", "shorten them")
APP_FILES = Limit(40, "files", "more systems do not fit on a page", "leave some out")
APP_UNPACKED = Limit(
    100_000_000, "bytes after unpacking", "a packed file of a hundred kilobytes can hold gigabytes", "use karat report"
)
APP_SECONDS = Limit(300, "seconds for a report", "files of the size allowed need a fifth of that", "use karat report")
APP_MEMORY = Limit(
    6_000_000_000, "bytes of memory for a report", "files of the size allowed need up to 4 GB", "use karat report"
)
APP_THREADS = Limit(2, "threads for a report", "the machine is also used for other things", "use karat report")
APP_AT_WORK = Limit(2, "reports at a time", "each may take a core and all its memory", "wait a moment")
APP_WAITING = Limit(8, "reports that wait", "each keeps its files in memory", "wait a moment, and ask again")
APP_CONNECTIONS = Limit(100, "connections", "a browser opens six", "the oldest that asks nothing is closed")
APP_HEADER_SECONDS = Limit(10, "seconds for the head of a request", "this machine sends it in one piece", "ask again")
APP_BODY_SECONDS = Limit(60, "seconds for the files of a request", "this machine sends them in one", "ask again")
APP_RATE = 1_000_000  # bytes of files per second, at least, after the first APP_HEADER_SECONDS: else a few slow
# clients would keep the places of all others
# Limits of files. Files read in parts (Parquet, Arrow, CSV and JSON lines of 10 MB or more, one label per line, NumPy
# arrays) may be of any size; these limits are for what has to be in memory as a whole.
LINE = Limit(
    16_000_000,
    "characters in one line",
    "a line holds the labels of an item, or the items of a cluster, and is read whole",
    "check where its lines end, or give a row for each item",
)
FIELD = Limit(1 << 21, "characters in one field", "DuckDB reads no more", "give shorter labels")
MEMBERS = Limit(
    10_000,
    "members in a label, those of its members included",
    "a label is compared and printed as a whole",
    "give it a shorter name",
)
COLUMNS = Limit(100_000, "columns or keys", "all names are searched", "leave out those that are not needed")
IN_MEMORY = Limit(
    2_000_000_000,
    "bytes of text that are read whole",
    "in memory they take ten times that",
    "give CSV or JSON lines in UTF-8, or Parquet, which are read in parts",
)
UNPACKED = Limit(
    1_000_000_000_000,
    "bytes once unpacked",
    "a small file can claim to hold any number",
    "unpack it, and check what it contains",
)
BATCH = Limit(
    4_000_000_000,
    "bytes once unpacked in one part of the file",
    "a part is in memory as a whole",
    "write it again in smaller parts",
)
OBSERVATIONS = Limit(
    2_000_000_000,
    "bytes in one column of obs",
    "it is in memory as a whole",
    "keep fewer observations, or save the column as Parquet",
)
READER_MEMORY = 8_000_000_000  # bytes of address space of the process that reads .h5ad: a column as objects and JSON
READER_SECONDS = 600  # of processor time for it: a damaged file can make libhdf5 loop
STREAM = Limit(
    10_000_000_000,
    "bytes of a stream",
    "it is copied to the temporary folder, of which it may take half",
    "write it to a file, and name that",
)
CELLS = Limit(500_000_000, "cells in a saved table", "they take 20 GB", "merge labels that are rare")
SINGLETONS = Limit(
    50_000_000,
    "singletons",
    "each is a cluster of its own, of some 200 bytes",
    "leave them out with 'drop', or put them together with 'cluster'",
)
MATRIX = Limit(500_000_000, "cells in a dense matrix", "they take 4 GB or more", "list the non-empty cells instead")
