"""The sentences of a comparison: its title, its verdicts, and the notes below its tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from karat.comparisons.paired import Paired
from karat.output.layout import percent, shown
from karat.output.numbers import number, several
from karat.uncertainty.wording import cautions_of

if TYPE_CHECKING:
    from karat.comparisons.results import Comparison

DIRECTIONS = "↑ higher is better, ↓ lower is better."
NEARLY_SURE = 0.9999  # the largest probability that is printed, since it is estimated


def title(comparison: Comparison) -> str:
    """The number of systems, items and classes, and how many items gold has labels for."""
    table = next(iter(comparison.scores.values())).table
    classes = several(table.shape[0], "class")
    text = f"{several(len(comparison), 'system')} on {several(table.n, 'item')} in {classes}"
    union, labelled = comparison.union, comparison.labelled
    if union is not None and labelled is not None and labelled < union:
        text += f"; gold has labels for {number(labelled)} of {number(union)} ({percent(labelled / union)})"
    return text


def notes(comparison: Comparison) -> list[str]:
    """What letters mean, the verdict of each measure, what was left out, and whether measures agree."""
    if len(comparison) == 1:
        return [f"One system, so there is no difference to test. {DIRECTIONS}", *comparison.cautions]
    texts = [
        f"{_tests(comparison)} {DIRECTIONS} * best.",
        *(verdict(comparison, p) for p in comparison.paired if p.measure.better is not None),
    ]
    if comparison.dropped:
        texts.append(
            f"{number(comparison.dropped)} items without a label in gold or in some system are left out for "
            "all; clusters are reduced to the items that are left."
        )
    texts += comparison.cautions
    if comparison.rank_agreement and len(comparison) > 2:  # two systems can only be ranked alike or in reverse
        texts.append(agreement(comparison))
    return texts


def _tests(comparison: Comparison) -> str:
    """How differences were tested, or why they were not."""
    if not comparison.sampled:
        return "Differences were not tested: that needs the labels of items, without weights."
    level, pairs = 100 * (1 - comparison.sampling.level), len(comparison) * (len(comparison) - 1) // 2
    return (
        f"Letters: the systems that it is significantly better than (paired test, {level:g}% level, Holm's "
        f"method for {several(pairs, 'pair')})."
    )


def verdict(comparison: Comparison, paired: Paired) -> str:
    """A sentence: which system is best, which may be as good, and which is better once corrected."""
    verdicts = comparison.verdicts[str(paired.measure)]
    names = [shown(name) for name in comparison.systems]
    best = verdicts.best
    if len(best) == len(comparison):
        return f"{paired.measure}: all scores are equal."
    one = f"{paired.measure}: {_few([names[i] for i in best])} {'has' if len(best) == 1 else 'have'} the best score"
    better = [names[i] for i in verdicts.beaten_by(best[0])]
    if better:
        return f"{one}, but {_few(better)} would be better on more items: small samples flatter many small clusters."
    equals = [names[i] for i in verdicts.equals(best[0]) if i not in best]
    untested = [names[i] for i in verdicts.untested(best[0]) if i not in best]
    left = f"; the difference from {_few(untested)} was not tested" if untested else ""
    if not equals:
        worse = "all others" if not untested else _few([names[i] for i in verdicts.beats[best[0]]])
        return f"{one}, significantly better than {worse}{left}." if worse else f"{one}{left}."
    if len(best) > 1 or untested:
        return f"{one}, but {_few(equals)} may be as good{left}."
    likely = percent(min(verdicts.stability(best[0]), NEARLY_SURE))
    best_there = f"the estimated probability that it is best in the population is {likely}"
    return f"{one}, but {_few(equals)} may be as good; {best_there}."


def agreement(comparison: Comparison) -> str:
    """How far measures agree on the ranking of the systems."""
    values = {pair: tau for pair, tau in comparison.rank_agreement.items() if tau is not None}
    if not values:
        return "No measure ranks the systems."
    least = min(values, key=lambda pair: values[pair])
    mean = sum(values.values()) / len(values)
    text = f"Measures agree on the ranking with Kendall's tau {mean:.2f}"
    if len(values) == 1 or min(values.values()) == max(values.values()):
        return f"{text}."
    return f"{text} on average, least for {least[0]} and {least[1]}: {values[least]:.2f}."


def remarks(comparison: Comparison) -> list[str]:
    """The cautions on scores and intervals, each once, after the scores that it concerns."""
    about: dict[str, list[str]] = {}
    for p in comparison.paired:
        for index in comparison.order:
            interval = comparison.interval_at(p.measure, index)
            for text in [] if interval is None else cautions_of(float(p.scores[index]), interval):
                about.setdefault(text, []).append(f"{p.measure} of {shown(comparison.systems[index])}")
    return [f"{_few(scores)}: {text}." for text, scores in about.items()]


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
