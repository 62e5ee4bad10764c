"""The options of read(), as one object from the command line to the reader of a file."""

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
    """Which columns are gold, systems, ids, groups and weights, the policy, and how files are to be read."""

    gold: Name | None = None
    pred: tuple[str, ...] = ()
    id: str | None = None
    by: str | None = None
    weights: str | None = None
    count: str | None = None  # a column that says how many items a row stands for
    policy: Policy = field(default_factory=Policy)
    input: Kind | None = None
    encoding: str = "utf-8"
    header: bool = True
    delimiter: str | None = None
    memory: str = "2GB"
    threads: int | None = None
    progress: bool = False
    keep: bool | None = None  # whether the labels of items are kept beside tables; None: if they are not too many
    ids: bool = False  # whether the ids of items are wanted too

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
        """The column of counts or of weights."""
        return self.count if self.weights is None else self.weights

    @property
    def others(self) -> list[str]:
        """Columns that are neither gold nor predicted, nor ids."""
        return [name for name in (self.by, self.total) if name is not None]


def columns_of(names: str | Sequence[str] | None) -> Any:
    """One column as text, several as a tuple; None if there is none."""
    if names is None or isinstance(names, str):
        return names
    return names[0] if len(names) == 1 else tuple(names) or None
