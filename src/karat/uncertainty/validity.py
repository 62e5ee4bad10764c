"""When an interval can be trusted: the conditions of methods, and the cautions on intervals."""

from __future__ import annotations

from karat.measures.registry import Measure
from karat.output.layout import percent
from karat.output.numbers import several
from karat.tables.counts import count_itself
from karat.tables.table import Table
from karat.uncertainty.interval import Caution, Reason
from karat.uncertainty.sampling import Sampling

LARGE = 1_000_000  # items above which the largest cells hardly ever change, so that the jackknife is valid
AFFORDABLE = 50_000_000  # resampled counts, which take about 15 seconds
SPARSE = 0.04  # share of items in cells of one item, above which unseen cells matter
FEW_ERRORS = 10  # misplaced items, below which their number is too uncertain
SMALL = 30  # sampling units, below which no method gives a reliable interval
PER_CLUSTER = 4  # items, below which the choice of the largest cells depends too much on chance


def too_many(cells: int, sampling: Sampling) -> Caution | None:
    """A caution if there are too many cells to resample in reasonable time; None if there are not."""
    if cells * sampling.resamples <= AFFORDABLE:
        return None
    text = f"{cells:,} cells are too many for {sampling.resamples:,} resamples; give fewer resamples"
    return Caution(Reason.TOO_MANY_CELLS, text)


def smooth(measure: Measure) -> bool:
    """Whether a measure changes little with one item: not if it chooses the largest cells."""
    return all(kind.smooth for kind in measure.statistics)


def by_jackknife(measure: Measure, table: Table) -> bool:
    """Whether the jackknife is valid: if the measure is smooth, or there are many items."""
    return smooth(measure) or table.n > LARGE


def caution_on(measure: Measure, table: Table, sampling: Sampling) -> Caution | None:
    """Why an interval may be too wide or too narrow, whatever its method; None if no reason is known."""
    units = len(table.class_sizes) if sampling.unit == "classes" else int(table.n)
    if units < SMALL:
        noun = "class" if sampling.unit == "classes" else "item"
        return Caution(Reason.FEW_UNITS, f"{several(units, noun)}, which are few: it may be too narrow")
    if table.n < PER_CLUSTER * table.shape[1] and not smooth(measure):
        few = f"fewer than {PER_CLUSTER} items for each cluster"
        return Caution(Reason.FEW_PER_CLUSTER, f"{few}: it may miss the true value, and tests may be too optimistic")
    size, times = table.profile.cells.arrays
    rare = float(times[size == 1].sum()) / float(table.n)
    if rare > SPARSE and sampling.corrects and any(kind.estimates_unseen for kind in measure.statistics):
        share = f"{percent(rare)} of the items are in cells of one item"
        return Caution(Reason.LONG_TAIL, f"{share}: it may be too wide, or miss a long tail")
    wrong = table.remember("wrong", lambda: int(table.n - table.cluster_best(count_itself)))
    if wrong < FEW_ERRORS:
        few = f"{several(wrong, 'item')} outside the largest class of their cluster"
        return Caution(Reason.FEW_ERRORS, f"{few}: it may be too narrow")
    return None
