"""Manning, Raghavan & Schütze (2008), section 16.3: the example of 17 documents."""

from __future__ import annotations

from collections.abc import Iterator

import karat
from karat.papers.claims import Claim, number, statement
from karat.papers.registry import Study, paper


@paper("Manning, Raghavan & Schütze (2008): Introduction to Information Retrieval, section 16.3")
def study() -> Study:
    """Table 16.2, the pairs that are counted, the doubling exercise."""
    return Study(list(_claims()))


def _claims() -> Iterator[Claim]:
    table = karat.Table.from_labels(*karat.examples.textbook())
    for name, measure, printed in (
        ("purity", "purity", "0.71"), ("NMI", "nmi", "0.36"), ("Rand index", "rand", "0.68"),
        ("F5", "pair_f(beta=5)", "0.46"),
    ):  # fmt: skip
        yield number("Table 16.2", name, printed, float(karat.parse(measure)(table)))
    yield number("16.3", "F1", "0.48", float(karat.pair_f(table)))
    (neither, false), (missed, joined) = karat.sklearn.pair_confusion_matrix(*karat.examples.textbook()) // 2
    for name, printed, value in (
        ("TP + FP", "40", joined + false), ("TP", "20", joined), ("FP", "20", false),
        ("FN", "24", missed), ("TN", "72", neither),
    ):  # fmt: skip
        yield number("16.3", f"pairs: {name}", printed, int(value))
    twice = table + table
    moved = [m for m in ("purity", "nmi") if float(karat.parse(m)(twice)) != float(karat.parse(m)(table))]
    text = "both stay" if not moved else f"{', '.join(moved)} changes"
    yield _asked("every point doubled: purity and NMI stay", not moved, text)
    after = {name: float(karat.parse(name)(twice)) for name in ("rand", "pair_f(beta=5)")}
    rises = all(value > float(karat.parse(name)(table)) for name, value in after.items())
    yield _asked("every point doubled: Rand and F5 rise", rises, ", ".join(f"{n} {v:.4f}" for n, v in after.items()))
    lowest = float(karat.purity(karat.Table.from_matrix([[8], [5], [4]])))
    why = "no clustering of data has less than the share of the largest class, which is what one cluster gets"
    yield number("Table 16.2", "the lower bound of purity, on this data", "0.0", lowest, why)


def _asked(claim: str, holds: bool, computed: str) -> Claim:
    """The claim of an exercise, whose answer is not printed."""
    return statement("exercise 16.3", claim, holds, computed)._replace(printed="asked")
