"""The options that verbs share: each is declared and explained once, here."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypedDict, TypeVar, cast

from karat.errors import nearest
from karat.labels.policy import Missing, NoiseAs
from karat.uncertainty.sampling import OPTIONS, Sampling, SamplingOptions, sampling_of

F = TypeVar("F", bound=Callable[..., Any])


class ItemOptions(TypedDict, total=False):
    """Options for items: their ids and weights, and items without a label or labelled as noise."""

    id: object
    weights: object
    count: str | None
    missing: Missing
    noise: object
    noise_as: NoiseAs | None
    ignore: object


class UngroupedOptions(ItemOptions, total=False):
    """Options for the data without groups."""

    gold: object
    pred: object


class DataOptions(UngroupedOptions, total=False):
    """Options for the data."""

    by: object


class ItemSamplingOptions(ItemOptions, SamplingOptions, total=False):
    """Options for items, and of intervals."""


class UngroupedSamplingOptions(UngroupedOptions, SamplingOptions, total=False):
    """Options for the data without groups, and of intervals."""


class Options(DataOptions, SamplingOptions, total=False):
    """The options of verbs that give intervals."""


DATA_DEFAULTS: DataOptions = {
    "gold": None, "pred": None, "id": None, "by": None, "weights": None, "count": None, "missing": "raise",
    "noise": None, "noise_as": None, "ignore": None,
}  # fmt: skip
SAMPLING_DEFAULTS: dict[str, Any] = {option.name: option.default for option in OPTIONS}
DEFAULTS: dict[str, Any] = {**DATA_DEFAULTS, **SAMPLING_DEFAULTS}

EXPLAINED = {
    "data, other": "Gold and predicted labels of any kind, matched by item where both name their items, else by "
    "position. `other` may be a dict of several systems by name, or a frame with a column for each. Or `data` is a "
    "frame of any engine, whose columns `gold` and `pred` name; two frames are matched on `id`. Or `data` is a Table, "
    "a dict of tables, or an Evaluation, and there is no `other`.",
    "measures": 'Names such as "ari" or "v_measure(beta=2)", measures, functions of (gold, pred), or "all"; by '
    "default a panel of common ones.",
    "interval": "The level of confidence intervals, such as 0.95; True for 0.95, None for none.",
    "gold, pred": "Columns of the frame; several names of `pred` are several systems. Or the labels, by keyword.",
    "id, by, weights, count": "Columns of the frame: ids of the items; groups to score separately; one weight for each "
    "item; how many items a row stands for. Beside labels, `id` is a list; `by` and `weights` are lists, Series or "
    "dicts.",
    "missing": 'What becomes of an item that gold or a system lacks: "raise", "drop" (for all systems), "singletons" '
    'or "cluster".',
    "noise, noise_as": 'A predicted label that marks noise, such as -1, and what it means: "cluster", "singletons" or '
    '"drop" (for all systems).',
    "ignore": "A gold label whose items are left out.",
    **{option.name: option.meaning for option in OPTIONS},
}


def verb(
    options: type[Any], defaults: Mapping[str, Any] = DEFAULTS, explained: Mapping[str, str] = EXPLAINED
) -> Callable[[F], F]:
    """Give a verb that takes **options its full signature and the docs of its parameters, for help()."""

    def documented(function: F) -> F:
        names = set(options.__required_keys__ | options.__optional_keys__)
        signature = inspect.signature(function)
        named = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        shared = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
            for name, default in defaults.items()
            if name in names
        ]
        first = [p for p in named if p.kind is not p.KEYWORD_ONLY]
        own = [p for p in named if p.kind is p.KEYWORD_ONLY]
        target: Any = function
        target.__signature__ = signature.replace(parameters=[*first, *shared, *own])
        target.__doc__ = _with_parameters(function.__doc__ or "", [p.name for p in [*first, *shared, *own]], explained)
        return function

    return documented


def _with_parameters(text: str, names: Iterable[str], explained: Mapping[str, str]) -> str:
    """A docstring with the explanations of its shared parameters, before its example."""
    from textwrap import fill

    known = set(names)
    lines = ["Parameters", "----------"]
    for group, meaning in explained.items():
        if known >= set(group.split(", ")):
            lines += [group, fill(meaning, 110, initial_indent="    ", subsequent_indent="    ")]
    parameters = "\n".join(f"    {line}" if line else "" for line in "\n".join(lines).split("\n"))
    before, example, after = text.partition("    >>> ")
    return f"{before.rstrip()}\n\n{parameters}\n\n{example}{after}" if example else f"{text.rstrip()}\n\n{parameters}\n"


def data_options(options: Mapping[str, Any], verb_name: str, known: Iterable[str] = DATA_DEFAULTS) -> DataOptions:
    """The options that describe the data; raises TypeError for an option that is not known to the verb."""
    names = tuple(known)
    for name in options:
        if name not in names:
            hint = nearest(name, names)
            raise TypeError(f"{verb_name}() has no option {name!r}{f'; {hint}' if hint else ''}")
    return cast(DataOptions, {name: value for name, value in options.items() if name in DATA_DEFAULTS})


def sampling_options(interval: float | bool | None, options: Mapping[str, Any]) -> Sampling | None:
    """The options of intervals, validated also where no intervals are wanted; None then."""
    return sampling_of(interval, **{name: value for name, value in options.items() if name in SAMPLING_DEFAULTS})
