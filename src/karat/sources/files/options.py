"""The options of read(), as one object that is passed from the command line to the file reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from karat.errors import FileError, Option
from karat.labels.policy import Policy
from karat.sources.files.inputs import Kind
from karat.sources.files.sources import Name


@dataclass(frozen=True)
class Reading:
    """The columns of gold, systems, ids, groups and weights, the policy, and how files are read."""

    gold: Name | None = None
    pred: tuple[str, ...] = ()
    id: str | None = None
    by: str | None = None
    weights: str | None = None
    count: str | None = None  # the column with the number of items of each row
    policy: Policy = field(default_factory=Policy)
    input: Kind | None = None
    encoding: str = "utf-8"
    header: bool = True
    delimiter: str | None = None
    memory: str = "2GB"
    threads: int | None = None
    progress: bool = False
    keep: bool | None = None  # whether to keep the labels of items, not only tables; None: if they are not too many
    ids: bool = False  # whether to keep the ids of items too

    def __post_init__(self) -> None:
        policy = self.policy
        if self.count is None:
            return
        used = {
            "weights": self.weights,
            "missing": policy.missing != "raise",
            "noise": policy.noise,
            "ignore": policy.ignore,
        }
        for name, given in used.items():
            if given is not None and given is not False:
                raise FileError(
                    Option("count", (self.count,)), " says that the rows are counted already; leave out ",
                    Option(name, bare=True), ".",
                )  # fmt: skip

    @property
    def total(self) -> str | None:
        """The column of weights, or else of counts; None without either."""
        return self.count if self.weights is None else self.weights

    @property
    def others(self) -> list[str]:
        """The columns of groups and of weights or counts, if any."""
        return [name for name in (self.by, self.total) if name is not None]


def columns_of(names: str | Sequence[str] | None) -> Any:
    """Column names in normal form: one as a string, several as a tuple, none as None."""
    if names is None or isinstance(names, str):
        return names
    return names[0] if len(names) == 1 else tuple(names) or None
