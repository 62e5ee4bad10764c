"""Exact expectations of measures under a null model."""

from __future__ import annotations

from functools import partial

from karat.chance.affine import is_affine, is_straight
from karat.chance.nulls import Model
from karat.measures.registry import Measure
from karat.tables.counts import Counts, SingleTable


def expected(measure: Measure, table: Counts, model: Model | None = None) -> float | None:
    """The exact expectation under the null model, by default over all shuffles; None if it is not known.

    The expectation of a measure that is affine in its statistics is its formula applied to their expectations.
    """
    model = model or Model()
    if not table.integral or not isinstance(table, SingleTable):
        return None
    if is_certain(table, model):
        return float(measure.of(table))
    if measure.inner is not None:
        return _expected_of_derived(measure, table, model)
    # where gold is one class or all singletons, 0/0 makes measures jump at a clustering equal to gold
    jumps = model.null != "margins" and table.shape[0] in (1, table.n)
    if not jumps and is_affine(measure, model):
        chances = model.chances(table)
        means = [kind.expected(table, chances) for kind in measure.statistics]
        seen = [table.statistic(kind) for kind in measure.statistics]
        # a kink between, or near, the observed and the expected statistics means that it is not affine here
        if model.null == "margins" or is_straight(partial(measure.formula, **measure.params), [seen, means]):
            return float(measure.value(means))
    return measure.chance if model.null == "margins" else None


def _expected_of_derived(measure: Measure, table: SingleTable, model: Model) -> float | None:
    """0 for a measure adjusted for this very model by an exact expectation, else None."""
    own = Model(measure.params["null"], measure.params["sides"])
    exact = measure.inner is not None and expected(measure.inner, table, model) is not None
    return 0.0 if exact and own == model else None


def is_certain(table: SingleTable, model: Model) -> bool:
    """Whether all clusterings of the model score the same, as with one cluster or with singletons."""
    classes, clusters = (number in (1, table.n) for number in table.shape)
    if model.null == "all":
        return bool(table.n == 1)
    if model.null == "margins":  # shuffling labels that are all equal, or all different, changes nothing
        return bool(classes or clusters)
    return bool(clusters and (model.sides == 1 or classes))
