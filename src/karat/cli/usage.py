"""Checks of options before any file is read; exit statuses."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from karat.errors import KaratError

if TYPE_CHECKING:
    from karat.sources.files.options import Reading

DONE, BAD_DATA, BAD_USAGE, TOO_LOW, HUNG_UP, INTERRUPTED, ENDED = 0, 1, 2, 3, 129, 130, 143
STATUSES = {
    DONE: "done, also if the reader of a pipe, such as head, stopped early",
    BAD_DATA: "the data is wrong, or a file cannot be read or written",
    BAD_USAGE: "the command line alone is wrong",
    TOO_LOW: "a score is worse than --fail-under asks for",
    HUNG_UP: "the terminal was closed (SIGHUP)",
    INTERRUPTED: "interrupted (Ctrl-C)",
    ENDED: "ended (SIGTERM)",
}


class UsageError(KaratError):
    """An error of the command line, whatever the data."""


class ThresholdError(KaratError):
    """A score worse than --fail-under."""


@contextmanager
def of_usage() -> Iterator[None]:
    """Raise the library's errors about options as UsageError."""
    try:
        yield
    except UsageError:
        raise
    except KaratError as problem:
        raise UsageError(problem.sentence) from None


def check(chosen: Namespace) -> None:
    """Refuse invalid measures, interval options, policies and formats before files are read."""
    given = vars(chosen)
    with of_usage():
        _check_measures(given)
        _check_sampling(given)
        _check_reading(given)


def _check_measures(given: Mapping[str, Any]) -> None:
    from karat.scoring.panels import chosen_measures

    listed = ",".join(given.get("measures") or given.get("names") or ()) if given["command"] != "data" else ""
    for text in (listed, *(given.get(key) for key in ("measure",))):
        if text and ":" not in text:  # a user's function needs its file to be read
            chosen_measures(text)
    for name, least in given.get("fail_under") or ():
        if chosen_measures(name)[0].better is None:
            raise UsageError(
                f"neither higher nor lower {name} is better; choose another measure than --fail-under {name}={least:g}."
            )
    if given.get("property"):
        from karat.meta.audit import chosen_properties

        chosen_properties(",".join(given["property"]))


def _check_sampling(given: Mapping[str, Any]) -> None:
    from karat.uncertainty.sampling import LEVEL, OPTIONS, sampling_of

    if "resamples" in given:
        level = given.get("interval")
        options = {option.name: given[option.name] for option in OPTIONS if option.name in given}
        sampling_of(LEVEL if level is None else level, **options)


def _check_reading(given: Mapping[str, Any]) -> None:
    if "encoding" in given:
        reading_of(given).check()


def reading_of(given: Mapping[str, Any]) -> Reading:
    """The options of reading among the options of a command."""
    from karat.sources.files.options import Reading, parameters

    options: Any = {name: given[name] for name, parameter in parameters().items() if parameter.flag}
    return Reading.of(**options)


def check_thresholds(chosen: Namespace, systems: Mapping[str, Mapping[str, float]]) -> None:
    """Refuse scores worse than --fail-under; systems maps each system to its scores by measure."""
    from karat.output.layout import shown
    from karat.scoring.panels import chosen_measures

    worse = []
    for name, least in chosen.fail_under:
        (measure,) = chosen_measures(name)
        for system, score in systems.items():
            value = score[str(measure)]
            if not (value >= least if measure.better == "higher" else value <= least):
                worse.append(f"{measure} of {shown(system)} is {value:.6g}, worse than {least:g}")
    if worse:
        raise ThresholdError(f"{'; '.join(worse)}.")
