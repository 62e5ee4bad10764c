"""The printed form of an explanation: a summary, and tables of the worst classes and clusters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from karat.explanations.findings import Margin, Merge, OddOne, Split
from karat.output.layout import Layout, decimals, percent, shortened, shown, width
from karat.output.numbers import number, several
from karat.scoring.scores import with_unit

if TYPE_CHECKING:
    from karat.explanations.explanation import Explanation

LABEL = 18  # the width of a label, in characters
PARTS = 33  # the width of the largest parts of a class or cluster, in characters


def layouts_of(explanation: Explanation, digits: int) -> list[Layout]:
    """The summary, then the tables that have rows."""
    name, better = shown(explanation.measure), explanation.measure.better
    rest = [
        _side(explanation, explanation.classes, "class", digits),
        _side(explanation, explanation.clusters, "cluster", digits),
        _listed(
            explanation.merges, f"Merges of two clusters that would make {name} {better}", _merge(digits), 3,
            ("cluster", "and cluster", "share class", "items", "items", name, "change"),
        ),
        _listed(
            explanation.splits, f"Classes that, split off a cluster, would make {name} {better}", _split(digits), 2,
            ("class", "out of cluster", "items", "of", name, "change"),
        ),
        _listed(
            explanation.odd_ones, "Odd ones out: few items of another class in a cluster of one class", _odd, 3,
            ("class", "in cluster", "otherwise of class", "items", "of"),
        ),
    ]  # fmt: skip
    pages = [_summary(explanation, digits), *(layout for layout in rest if layout.rows)]
    return [*pages[:-1], pages[-1]._replace(signatures=[explanation.signature])]


def _summary(explanation: Explanation, digits: int) -> Layout:
    """The totals of both kinds of error, and the largest problems as sentences."""
    totals, (classes, clusters) = explanation.totals, explanation.table.shape
    both = totals["pairs_split"] + totals["pairs_mixed"]
    rows = [
        ["classes are split", decimals(totals["vi_split"], digits), number(totals["pairs_split"]),
         f"1 - recall = {decimals(1 - totals['bcubed_recall'], digits)}"],
        ["clusters are mixed", decimals(totals["vi_mixed"], digits), number(totals["pairs_mixed"]),
         f"1 - precision = {decimals(1 - totals['bcubed_precision'], digits)}"],
        ["together", decimals(totals["vi"], digits), number(both), ""],
    ]  # fmt: skip
    dropped = f" ({number(explanation.table.policy.dropped)} dropped)" if explanation.table.policy.dropped else ""
    shape = f"{several(classes, 'class')} and {several(clusters, 'cluster')}"
    measure, value = explanation.measure, decimals(explanation.value, digits)
    judged = f"{shown(with_unit(measure))} is {value}, {measure.better} is better"
    title = f"{several(explanation.table.n, 'item')}{dropped} in {shape}: {judged}"
    headings = ["what is wrong", "VI [nats]", "pairs of items", "BCubed"]
    return Layout(title, headings, rows, [*explanation.sentences(digits), *_remarks(explanation)])


def _remarks(explanation: Explanation) -> list[str]:
    """Notes on changes that were not tried."""
    remarks = []
    if not explanation.every_merge:
        remarks.append("Merges: of the clusters that share a class, only the most promising pairs were tried.")
    if not explanation.every_repair:
        remarks.append(
            f"{shown(explanation.measure)} has no closed form for changes of clusters: of each kind, only those that "
            "lower VI most were tried."
        )
    return remarks


def _side(explanation: Explanation, side: Margin, kind: str, digits: int) -> Layout:
    """The table of the classes or clusters that contribute most to VI."""
    if kind == "class":
        title, where, of = "Classes spread over clusters", "in clusters", "recall"
        remedy = "gathered in one cluster of its own"
    else:
        title, where, of = "Clusters of several classes", "of classes", "precision"
        remedy = "split into one cluster per class"
    totals = explanation.totals
    errors = totals["vi"], totals["pairs_split"] + totals["pairs_mixed"], 1 - totals[f"bcubed_{of}"]
    headings = [kind, where, "items", "parts", "VI", "pairs", "BCubed", "repaired"]
    note = (
        f"VI, pairs, BCubed: its share of the whole VI, of all wrong pairs, and of 1 - BCubed {of}; "
        f"repaired: {shown(explanation.measure)} if it were {remedy}."
    )
    rows = [_line(side, index, errors, digits) for index in side.worst(explanation.top)]
    return Layout(f"{title}, the worst first", headings, rows, [note], left=2)


def _line(side: Margin, index: int, totals: tuple[float, ...], digits: int) -> list[str]:
    """A class or cluster: name, largest parts, size, number of parts, shares of errors, repaired value."""
    errors = (side.vi[index], side.pairs[index], side.bcubed[index])
    return [
        _label(side.names[index]),
        _largest_parts(side, index),
        number(side.sizes[index].item()),
        number(side.parts[index].item()),
        *(percent(part / total) if total > 0 else "–" for part, total in zip(errors, totals, strict=True)),
        _value(side.repaired[index], digits),
    ]


def _largest_parts(side: Margin, index: int) -> str:
    """As many of the three largest parts as fit the column."""
    parts = [f"{_label(other)}: {percent(share)}" for other, share in side.largest_parts(index)]
    for number_shown in range(len(parts), 1, -1):
        more = ", …" if side.parts[index] > number_shown else ""
        text = ", ".join(parts[:number_shown]) + more
        if width(text) <= PARTS:
            return text
    return f"{parts[0]}, …"


def _listed(
    moves: Sequence[Any], title: str, row: Callable[[Any], list[str]], left: int, headings: Sequence[str]
) -> Layout:
    return Layout(title, headings, [row(move) for move in moves], left=left)


def _merge(digits: int) -> Callable[[Merge], list[str]]:
    def row(m: Merge) -> list[str]:
        shared = _label(m.shared) if any(m.of_shared) else "–"
        return [_label(m.left), _label(m.right), shared, *map(number, m.items), *_effect(m.value, m.change, digits)]

    return row


def _split(digits: int) -> Callable[[Split], list[str]]:
    def row(s: Split) -> list[str]:
        return [_label(s.label), _label(s.cluster), number(s.items), number(s.of), *_effect(s.value, s.change, digits)]

    return row


def _odd(o: OddOne) -> list[str]:
    return [_label(o.label), _label(o.cluster), _label(o.otherwise), number(o.items), number(o.of)]


def _effect(value: float, change: float, digits: int) -> list[str]:
    sign = "+" if change > 0 else ""
    return [decimals(value, digits), f"{sign}{decimals(change, digits)}"]


def _value(value: float, digits: int) -> str:
    return decimals(None if value != value else float(value), digits)


def _label(label: object) -> str:
    return shortened(shown(label), LABEL)
