"""What one request may ask for: every limit with its reason, and the sentence that is said beyond it."""

from __future__ import annotations

from typing import NamedTuple

from karat.errors import KaratError


class Limit(NamedTuple):
    """The most that may be asked for, and what to do instead."""

    most: int
    of: str
    why: str
    remedy: str

    def check(self, asked: float, what: str, error: type[KaratError] = KaratError) -> None:
        """Refuse more than the limit; what names the option or the text that asks for it.

        >>> Limit(10, "draws", "each takes a second", "draw fewer").check(5, "samples")
        """
        if asked > self.most:
            number = f"{asked:,}" if asked < 10**15 else f"{float(min(asked, 1e300)):.3g}"
            raise error(f"{what}: {number} {self.of}, but {self.most:,} is the most ({self.why}); {self.remedy}.")


TEXT = Limit(2_000, "characters", "no measure needs more", "shorten the text")
NESTING = Limit(5, "levels of parentheses", "measures are derived from measures once or twice", "leave some out")
RESAMPLES = Limit(1_000_000, "resamples", "a thousand give a standard error to 2 %", "give fewer")
BACKGROUNDS = Limit(100_000, "random backgrounds", "a hundred take a second for each measure", "give fewer tries")
ITEMS = Limit(1_000_000_000, "items in a list", "they take 16 GB", "score fewer items, or a measure that needs none")
STACK = Limit(1_000_000_000, "cells in a stack of dense tables", "they take 8 GB", "score the tables one by one")
DRAWS = Limit(
    1_000_000,
    "random clusterings, those of nested measures multiplied",
    "ten thousand give a mean to 1 % of its spread",
    "give fewer samples",
)

# What karat app takes; less than the command line, whose user has chosen what is read. karat app --limit raises the
# bytes, and seconds and memory in proportion.
APP_BYTES = Limit(
    100_000_000, "bytes", "a report on as many takes up to a minute and 4 GB", "use karat report, or karat app --limit"
)
APP_HEAD = Limit(100_000, "bytes of names and options", "forty files and ten options need fewer", "shorten them")
APP_FILES = Limit(40, "files", "more systems do not fit on a page", "leave some out")
APP_UNPACKED = Limit(
    100_000_000, "bytes after unpacking", "a packed file of a hundred kilobytes can hold gigabytes", "use karat report"
)
APP_SECONDS = Limit(300, "seconds for a report", "as many bytes as are taken need a fifth of it", "use karat report")
APP_MEMORY = Limit(
    6_000_000_000, "bytes of memory for a report", "as many bytes as are taken need up to 4 GB", "use karat report"
)
APP_THREADS = Limit(2, "threads for a report", "the machine is also used for other things", "use karat report")
APP_AT_WORK = Limit(2, "reports at a time", "each may take a core and all its memory", "wait a moment")
APP_WAITING = Limit(8, "reports that wait", "each keeps its files in memory", "wait a moment, and ask again")
APP_CONNECTIONS = Limit(100, "connections", "a browser opens six", "the oldest that asks nothing is closed")
APP_HEADER_SECONDS = Limit(10, "seconds for the head of a request", "this machine sends it in one piece", "ask again")
APP_BODY_SECONDS = Limit(60, "seconds for the files of a request", "this machine sends them in one", "ask again")
