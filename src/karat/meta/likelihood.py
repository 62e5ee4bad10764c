"""The cross-validated likelihood of a density model (Dom 2001, appendix C.1)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from karat.errors import KaratError, brief
from karat.uncertainty.sampling import check_seed


class Likelihood(NamedTuple):
    """The mean log-likelihood of held-out items, its standard error, and the mean of each fold."""

    mean: float
    error: float
    folds: tuple[float, ...]

    def __str__(self) -> str:
        return f"{self.mean:.4f} ± {self.error:.4f} nats per held-out item, in {len(self.folds)} folds"


def validated_likelihood(model: Any, x: Any, *, folds: int = 5, seed: int = 0) -> Likelihood:
    """The mean log-likelihood of items under a model fitted to other items; higher is better.

    model: an estimator with scikit-learn's fit and score_samples, such as GaussianMixture; it is cloned, not changed.
    x: an array of items by features. Each fold is left out once and the model fitted to the others. The
    values of score_samples must be log densities, as they are for mixtures, but not for outlier detectors.
    """
    try:
        from sklearn.base import clone
    except ImportError:
        raise KaratError("validated_likelihood needs scikit-learn; pip install scikit-learn.") from None
    try:
        x = np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError):
        raise KaratError("the items are not a table of numbers; give an array of items by features.") from None
    if x.ndim != 2 or not np.isfinite(x).all():
        raise KaratError(f"the items have shape {x.shape} or values that are not finite; give items by features.")
    if not hasattr(model, "score_samples") or isinstance(model, type):
        raise KaratError(f"{type(model).__name__} gives no likelihood of items; use a model with score_samples.")
    if not isinstance(folds, (int, np.integer)) or not 2 <= folds <= len(x):
        raise KaratError(f"folds={brief(folds)} does not divide {len(x)} items; give a number from 2 to {len(x)}.")
    check_seed(seed)
    order = np.random.default_rng(seed).permutation(len(x))
    scores = []
    for held_out in np.array_split(order, folds):
        rest = np.setdiff1d(order, held_out)
        scores.append(np.asarray(clone(model).fit(x[rest]).score_samples(x[held_out]), dtype=np.float64))
    together = np.concatenate(scores)
    if not np.isfinite(together).all():
        raise KaratError(f"{type(model).__name__} gives some held-out items a density of 0; use a model that smooths.")
    error = float(together.std(ddof=1)) / math.sqrt(together.size)
    return Likelihood(float(together.mean()), error, tuple(float(part.mean()) for part in scores))
