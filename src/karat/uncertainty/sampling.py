"""Sampling: the options of confidence intervals, each declared once; nothing here loads NumPy.

Parameters of verbs, their explanations, flags of the command line and the checks of values follow from OPTIONS.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict

from karat.errors import MeasureError, Option, either
from karat.uncertainty.methods import AUTO, method_names

Unit: TypeAlias = Literal["items", "classes"]

LEVEL = 0.95  # of interval=True


class SamplingOptions(TypedDict, total=False):
    """The options of confidence intervals as keywords of verbs."""

    unit: Unit
    corrected: bool
    method: str
    resamples: int
    seed: int


class Sampling(NamedTuple):
    """The options of confidence intervals: what was asked for, validated by sampling_of()."""

    level: float = LEVEL
    unit: Unit = "items"
    corrected: bool = True
    method: str = AUTO
    resamples: int = 1000
    seed: int = 0

    @property
    def corrects(self) -> bool:
        """Whether bias is corrected: not if classes are the sampling unit, since they are complete."""
        return self.corrected and self.unit == "items"


class SamplingOption(NamedTuple):
    """The declaration of an option: its kind (one of choices, a whole number, or yes and no) and its text."""

    name: str  # the keyword of verbs, and the attribute of Sampling
    text: str  # in the help() of a verb
    help: str  # on the command line
    flag: str  # of the command line
    choices: Callable[[], Sequence[str]] | None = None  # asked when needed: a program may declare methods of its own
    noun: str = ""  # what the choices are
    least: int | None = None  # of a whole number
    remedy: str = ""  # the end of the message about a number that is too small
    limit: str = ""  # the name of the limit in karat.limits
    details: Callable[[], str] | None = None  # what the choices mean, in the help() of a verb

    @property
    def default(self) -> Any:
        """The value if the option is left out."""
        return Sampling._field_defaults[self.name]

    @property
    def meaning(self) -> str:
        """What the option means, for the help() of a verb."""
        return self.text if self.details is None else f"{self.text} {self.details()}"

    def check(self, value: object) -> None:
        """Raise MeasureError if the option does not take the value."""
        from numbers import Integral  # imported late, as are NumPy and karat.limits: the command line's help needs none

        from numpy import bool_

        if self.choices is not None and not (isinstance(value, str) and value in self.choices()):
            use = either(map(repr, self.choices()))
            raise MeasureError(Option(self.name, (value,)), f" is not {self.noun}; use {use}.")
        if isinstance(self.default, bool) and not (isinstance(value, (int, bool_)) and value in (0, 1)):
            raise MeasureError(Option(self.name, (value,)), " is neither True nor False; give one of them.")
        whole = isinstance(value, Integral) and not isinstance(value, bool)
        if self.least is not None and (not whole or value < self.least):  # type: ignore[operator]
            raise MeasureError(Option(self.name, (value,)), f" {self.remedy}.")
        if self.limit and isinstance(value, Integral):
            from karat import limits

            limits.__dict__[self.limit].check(int(value), self.name, MeasureError)


def _summaries() -> str:
    from karat.uncertainty.registry import summaries

    return summaries()


OPTIONS = (
    SamplingOption(
        "unit", 'The sampling unit: "items", or whole gold "classes".', "the sampling unit (default: items)", "--unit",
        choices=lambda: ("items", "classes"), noun="a sampling unit",
    ),
    SamplingOption(
        "corrected", "Whether intervals are centred on a bias-corrected estimate.",
        "centred on the score, not on a bias-corrected estimate", "--uncorrected",
    ),
    SamplingOption(
        "method", 'The method of intervals. "auto", the first that is valid for the measure and the table;',
        "the method of intervals (default: auto, the first that is valid for a measure)", "--method",
        choices=method_names, noun="a method of intervals", details=_summaries,
    ),
    SamplingOption(
        "resamples", "The number of bootstrap resamples, for intervals that need them.",
        "of the bootstrap (default: 1000)", "--resamples",
        least=2, remedy="are too few; give 1000, or 2 at least", limit="RESAMPLES",
    ),
    SamplingOption(
        "seed", "The seed of the resamples.", "seed of the bootstrap (default: 0)", "--seed",
        least=0, remedy="is not a seed; give a whole number, 0 or more",
    ),
)  # fmt: skip


def sampling_of(interval: float | bool | None, **options: Any) -> Sampling | None:
    """The options of intervals, validated; None if no intervals are wanted. True means a level of 0.95."""
    for option in OPTIONS:
        option.check(options.get(option.name, option.default))
    if interval is None or interval is False:
        return None
    from numbers import Real

    level = LEVEL if interval is True else interval
    if not isinstance(level, Real) or not 0.5 <= level < 1:
        raise MeasureError(Option("interval", (level,)), " is not a confidence level; give a number such as 0.95.")
    return Sampling(level, **options)


def checked(sampling: Sampling) -> Sampling:
    """The options themselves; MeasureError if one of them has a value that it does not take."""
    for option in OPTIONS:
        option.check(getattr(sampling, option.name))
    return sampling


def check_seed(seed: object) -> None:
    """Raise MeasureError if the value is not a seed."""
    next(option for option in OPTIONS if option.name == "seed").check(seed)
