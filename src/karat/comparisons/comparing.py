"""compare(): several systems against gold, and whether their differences are more than chance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from karat.alignment import Missing, NoiseAs
from karat.comparisons.paired import paired
from karat.comparisons.results import Comparison
from karat.errors import KaratError
from karat.evaluate import MeasureLike, chosen_measures, panel_of
from karat.joint import Joint, join
from karat.uncertainty.sampling import RESAMPLES, Sampling, Unit


def compare(
    gold: object,
    systems: Mapping[str, object] | None = None,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    missing: Missing = "raise",
    noise: object = None,
    noise_as: NoiseAs | None = None,
    interval: float = 0.95,
    unit: Unit = "items",
    corrected: bool = True,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Comparison:
    """Which systems are better than which, by each measure, beyond what chance gives.

    systems: labels by name, of the same items as gold. missing="drop" keeps the items that gold and all systems have.
    interval, unit, corrected, resamples, seed: as in score(); differences are paired, so that what is hard for all
    systems does not count, and their p-values are corrected for the number of pairs (Holm).

    >>> import karat
    >>> gold = ["a"] * 50 + ["b"] * 50
    >>> good, poor = [0] * 48 + [1] * 52, [0, 1] * 50
    >>> found = karat.compare(gold, {"good": good, "poor": poor}, "ari")
    >>> found["good"]["ari"] > 0.9, found.difference("ari", "good", "poor").p < 0.001
    (True, True)
    """
    sampling = Sampling(interval, unit, corrected, resamples, seed).check()
    joint = gold if isinstance(gold, Joint) else _joined(gold, systems, missing, noise, noise_as)
    chosen = panel_of(next(iter(joint.tables.values()))) if measures is None else chosen_measures(measures)
    return Comparison(joint, chosen, tuple(paired(joint, chosen, sampling)), sampling)


def _joined(
    gold: object, systems: Mapping[str, object] | None, missing: Missing, noise: object, noise_as: NoiseAs | None
) -> Joint:
    if not isinstance(systems, Mapping) or len(systems) < 2:
        raise KaratError("compare takes two systems or more, as {'name': labels, ...}; score() is for one.")
    return join(gold, systems, missing=missing, noise=noise, noise_as=noise_as)
