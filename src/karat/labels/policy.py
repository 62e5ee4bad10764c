"""Policy: the treatment of items without a label, of noise, and of items that gold ignores."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

from karat.errors import LabelError, Option, brief, listed
from karat.labels.identity import is_hashable, is_missing
from karat.labels.names import check_members, plain

Missing: TypeAlias = Literal["raise", "drop", "singletons", "cluster"]
NoiseAs: TypeAlias = Literal["cluster", "singletons", "drop"]

DROP = Option("missing", ("drop",))
KEEP_OR_DROP = Option("missing", ("drop", "singletons", "cluster"))  # the remedy for items without a label


@dataclass(frozen=True)
class Policy:
    """The treatment of items without a label, of noise and of ignored items, and the number of each.

    Part of a table and of a signature. With "drop" the numbers count the items dropped for all systems of an
    evaluation; otherwise those that this table's gold or system lacks, or that the system calls noise.
    """

    missing: Missing = "raise"
    noise: Any = None  # a label; meaningful when noise_as is given
    noise_as: NoiseAs | None = None
    weighted: bool = False
    matched: str = "positions"  # how gold and systems were matched: by "items" or by "positions"
    missing_items: int = 0
    noise_items: int = 0
    ignore: Any = None  # a gold label whose items are left out
    ignored_items: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.missing, str) or self.missing not in get_args(Missing):
            raise LabelError(
                Option("missing", (self.missing,)), f" is not a policy; use one of {listed(get_args(Missing))}."
            )
        if self.noise_as is not None and not (isinstance(self.noise_as, str) and self.noise_as in get_args(NoiseAs)):
            raise LabelError(
                Option("noise_as", (self.noise_as,)), f" is not a policy; use one of {listed(get_args(NoiseAs))}."
            )
        for name, label in (("noise", self.noise), ("ignore", self.ignore)):
            check_members(label, name)
            if not is_hashable(label):
                raise LabelError(f"{name}={brief(label)} cannot be a label; give one label, as it is among the others.")
            if label is not None and is_missing(label):
                raise LabelError(
                    Option(name, (label,)), " is not a label; items without a label follow ", Option("missing")
                )
        if self.noise is not None and self.noise_as is None:
            choices = Option("noise_as", get_args(NoiseAs))
            raise LabelError(Option("noise", (self.noise,)), " needs ", choices, ": the score depends on it.")
        if self.noise_as is not None and self.noise is None:
            raise LabelError(
                Option("noise_as", (self.noise_as,)),
                " needs the label that marks noise, such as ",
                Option("noise", (-1,)),
                ".",
            )

    @classmethod
    def of(
        cls, missing: Missing = "raise", noise: object = None, noise_as: NoiseAs | None = None, ignore: object = None
    ) -> Policy:
        """The policy with these options, labels as Python values; LabelError for an invalid option."""
        if isinstance(missing, str) and missing == "raise" and noise is None and noise_as is None and ignore is None:
            return USUAL
        return cls(missing, plain(noise), noise_as, ignore=plain(ignore))

    @property
    def dropped(self) -> int:
        """The number of items dropped from the table."""
        missing = self.missing_items if self.missing == "drop" else 0
        return missing + (self.noise_items if self.noise_as == "drop" else 0) + self.ignored_items

    @property
    def keeps_all(self) -> bool:
        """Whether all items are kept as they are if none lacks a label: no noise, nothing ignored."""
        return self.noise_as is None and self.ignore is None

    def __str__(self) -> str:
        noise = "noise kept" if self.noise_as is None else f"noise={label_text(self.noise)} as {self.noise_as}"
        ignored = "" if self.ignore is None else f", ignore={label_text(self.ignore)}"
        return f"missing={self.missing!r}, {noise}{ignored}, {'with' if self.weighted else 'without'} weights"

    def __add__(self, other: Policy) -> Policy | None:
        """The policy of the sum of two tables; None if their policies differ."""
        if str(self) != str(other):
            return None
        return replace(
            self,
            matched=self.matched if self.matched == other.matched else "mixed",
            missing_items=self.missing_items + other.missing_items,
            noise_items=self.noise_items + other.noise_items,
            ignored_items=self.ignored_items + other.ignored_items,
        )

    def __sub__(self, part: Policy) -> Policy | None:
        """The policy of a table without a part of it; None if their policies differ."""
        if str(self) != str(part):
            return None
        return replace(
            self,
            missing_items=self.missing_items - part.missing_items,
            noise_items=self.noise_items - part.noise_items,
            ignored_items=self.ignored_items - part.ignored_items,
        )


def label_text(label: Any) -> str:
    """The repr of a label; an integral float as an integer, which it equals: a column with gaps has floats.

    >>> label_text(-1.0), label_text(-1), label_text("-1")
    ('-1', '-1', "'-1'")
    """
    return repr(int(label) if isinstance(label, float) and label.is_integer() else label)


USUAL = Policy()  # the default: no label may be missing, no noise, nothing ignored
