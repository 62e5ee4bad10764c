"""Every measure once more, from the papers, in 50-digit arithmetic over {(class, cluster): count}; slow and plain.

Nothing here is shared with karat: no profile, no exact sums, no rearranged formula. A measure that has a test
file of its own, tests/measures/test_NAME.py, has its oracle there, under @oracle.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import mpmath as mp

mp.mp.dps = 50

Cells = dict[tuple[Any, Any], Any]
Oracle = Callable[..., Any]  # of a View; None where the value would take too long


class View:
    """Margins and logarithms of a table."""

    def __init__(self, cells: Cells) -> None:
        self.h = {key: mp.mpf(value) for key, value in cells.items() if value}
        self.a: dict[Any, Any] = {}
        self.b: dict[Any, Any] = {}
        for (c, k), value in self.h.items():
            self.a[c] = self.a.get(c, mp.mpf(0)) + value
            self.b[k] = self.b.get(k, mp.mpf(0)) + value
        self.n = mp.fsum(self.h.values())
        self.same = len(self.a) == len(self.b) == len(self.h)

    def entropy(self, sizes: Any) -> Any:
        return -mp.fsum(s / self.n * mp.log(s / self.n) for s in sizes)

    @property
    def hc(self) -> Any:
        return self.entropy(self.a.values()) if len(self.a) > 1 else mp.mpf(0)

    @property
    def hk(self) -> Any:
        return self.entropy(self.b.values()) if len(self.b) > 1 else mp.mpf(0)

    @property
    def hck(self) -> Any:
        return mp.mpf(0) if len(self.h) == 1 else self.entropy(self.h.values())

    @property
    def hc_k(self) -> Any:
        return -mp.fsum(v / self.n * mp.log(v / self.b[k]) for (_, k), v in self.h.items())

    @property
    def hk_c(self) -> Any:
        return -mp.fsum(v / self.n * mp.log(v / self.a[c]) for (c, _), v in self.h.items())

    @property
    def mi(self) -> Any:
        return mp.fsum(v / self.n * mp.log(self.n * v / (self.a[c] * self.b[k])) for (c, k), v in self.h.items())

    def pairs(self) -> tuple[Any, Any, Any, Any]:
        def two(values: Any) -> Any:
            return mp.fsum(v * (v - 1) / 2 for v in values)

        return two(self.h.values()), two(self.a.values()), two(self.b.values()), two([self.n])


def over(top: Any, bottom: Any, empty: Any) -> Any:
    """A fraction with the policy for 0/0; zero means zero to 40 digits."""
    tiny = mp.mpf(10) ** (10 - mp.mp.dps)
    if abs(bottom) < tiny:
        return empty
    return top / bottom


def homogeneity(t: View) -> Any:
    return 1 - over(t.hc_k, t.hc, 0)


def completeness(t: View) -> Any:
    return 1 - over(t.hk_c, t.hk, 0)


def v_measure(t: View, beta: Any = 1) -> Any:
    h, c = homogeneity(t), completeness(t)
    return over((1 + beta) * h * c, beta * h + c, 0)


def nmi(t: View, norm: str = "sum") -> Any:
    return over(t.mi, _norm(t, norm), 1 if t.same else 0)


def _norm(t: View, norm: str) -> Any:
    return {
        "min": min(t.hc, t.hk),
        "sqrt": mp.sqrt(t.hc * t.hk),
        "sum": (t.hc + t.hk) / 2,
        "max": max(t.hc, t.hk),
        "joint": t.hck,
    }[norm]


def expected_mi(t: View) -> Any:
    """Vinh, Epps & Bailey (2010), equation 24a, as printed."""
    n, total = int(t.n), mp.mpf(0)
    for a in map(int, t.a.values()):
        for b in map(int, t.b.values()):
            for x in range(max(1, a + b - n), min(a, b) + 1):
                p = mp.binomial(b, x) * mp.binomial(n - b, a - x) / mp.binomial(n, a)
                total += p * mp.mpf(x) / n * mp.log(mp.mpf(n) * x / (a * b))
    return total


def ami(t: View, norm: str = "sum") -> Any:
    expected = expected_mi(t)
    bound = _norm(t, norm)
    return over(t.mi - expected, bound - expected, 1 if t.same else 0)


def vi(t: View) -> Any:
    return t.hc_k + t.hk_c


def _choices(h: Any, classes: int) -> Any:
    """log2 of C(h + |C| - 1, |C| - 1)."""
    return mp.log(mp.gamma(h + classes) / (mp.gamma(h + 1) * mp.gamma(classes)), 2) if h < 1000 else _large(h, classes)


def _large(h: Any, classes: int) -> Any:
    return (mp.loggamma(h + classes) - mp.loggamma(h + 1) - mp.loggamma(classes)) / mp.log(2)


def q0(t: View) -> Any:
    return t.hc_k / mp.log(2) + mp.fsum(_choices(b, len(t.a)) for b in t.b.values()) / t.n


def q1(t: View) -> Any:
    return t.hc / mp.log(2) + _choices(t.n, len(t.a)) / t.n - q0(t)


def q2(t: View) -> Any:
    return over(mp.fsum(_choices(a, len(t.a)) for a in t.a.values()) / t.n, q0(t), 1)


def rand(t: View) -> Any:
    both, gold, pred, total = t.pairs()
    return over(total - gold - pred + 2 * both, total, 1)


def ari(t: View) -> Any:
    both, gold, pred, total = t.pairs()
    expected = over(gold * pred, total, 0)
    return over(both - expected, (gold + pred) / 2 - expected, 1)


def jaccard(t: View) -> Any:
    both, gold, pred, _ = t.pairs()
    return over(both, gold + pred - both, 1)


def fowlkes_mallows(t: View) -> Any:
    both, gold, pred, _ = t.pairs()
    return over(both, mp.sqrt(gold * pred), 1 if t.same else 0)


def gamma(t: View) -> Any:
    both, gold, pred, total = t.pairs()
    bottom = mp.sqrt(abs(gold * pred * (total - gold) * (total - pred)))
    return over(total * both - gold * pred, bottom, 1 if t.same else 0)


def mirkin(t: View) -> Any:
    both, gold, pred, _ = t.pairs()
    return 2 * (gold + pred - 2 * both)


def pair_precision(t: View) -> Any:
    both, _, pred, _ = t.pairs()
    return over(both, pred, 1 if t.same else 0)


def pair_recall(t: View) -> Any:
    both, gold, _, _ = t.pairs()
    return over(both, gold, 1 if t.same else 0)


def pair_f(t: View, beta: Any = 1) -> Any:
    p, r = pair_precision(t), pair_recall(t)
    return over((beta**2 + 1) * p * r, beta**2 * p + r, 0)


def _by_cluster(t: View) -> Any:
    return mp.fsum(max(v for (_, k), v in t.h.items() if k == cluster) for cluster in t.b)


def _by_class(t: View) -> Any:
    return mp.fsum(max(v for (c, _), v in t.h.items() if c == name) for name in t.a)


def purity(t: View) -> Any:
    return _by_cluster(t) / t.n


def inverse_purity(t: View) -> Any:
    return _by_class(t) / t.n


def van_dongen(t: View) -> Any:
    return 2 * t.n - _by_cluster(t) - _by_class(t)


def _best_f(t: View) -> dict[Any, Any]:
    def f(c: Any, k: Any, h: Any) -> Any:
        precision, recall = h / t.b[k], h / t.a[c]
        return 2 * precision * recall / (precision + recall)

    return {name: max(f(c, k, v) for (c, k), v in t.h.items() if c == name) for name in t.a}


def one_to_one(t: View) -> Any:
    """All injective maps of the smaller side: for tables of at most seven lines on it."""
    few, many = sorted((list(t.a), list(t.b)), key=len)
    flipped = list(t.a) != few
    cells = {(k, c) if flipped else (c, k): v for (c, k), v in t.h.items()}
    if len(few) > 4:
        return None
    return (
        max(
            mp.fsum(cells.get(pair, 0) for pair in zip(few, chosen, strict=True))
            for chosen in permutations(many, len(few))
        )
        / t.n
    )


def one_to_one_greedy(t: View) -> Any:
    order = (
        {name: place for place, name in enumerate(sorted(t.a))},
        {name: place for place, name in enumerate(sorted(t.b))},
    )
    left = sorted(t.h.items(), key=lambda cell: (-cell[1], order[0][cell[0][0]], order[1][cell[0][1]]))
    total = mp.mpf(0)
    while left:
        (c, k), v = left[0]
        total += v
        left = [cell for cell in left if cell[0][0] != c and cell[0][1] != k]
    return total / t.n


def bcubed_precision(t: View) -> Any:
    return mp.fsum(v * v / t.b[k] for (_, k), v in t.h.items()) / t.n


def bcubed_recall(t: View) -> Any:
    return mp.fsum(v * v / t.a[c] for (c, _), v in t.h.items()) / t.n


def bcubed_f(t: View, beta: Any = 1) -> Any:
    p, r = bcubed_precision(t), bcubed_recall(t)
    return over((1 + beta**2) * p * r, beta**2 * p + r, 0)


def oracle(*texts: str) -> Callable[[Oracle], Oracle]:
    """Make a function of a View the oracle of the measures with these texts."""

    def add(function: Oracle) -> Oracle:
        ORACLE.update(dict.fromkeys(texts, function))
        return function

    return add


ORACLE: dict[str, Oracle] = {
    "class_entropy": lambda t: t.hc,
    "cluster_entropy": lambda t: t.hk,
    "joint_entropy": lambda t: t.hck,
    "class_entropy_given_cluster": lambda t: t.hc_k,
    "cluster_entropy_given_class": lambda t: t.hk_c,
    "mutual_information": lambda t: t.mi,
    "homogeneity": homogeneity,
    "completeness": completeness,
    "v_measure": v_measure,
    "v_measure(beta=2)": lambda t: v_measure(t, 2),
    "v_measure(beta=0)": lambda t: v_measure(t, 0),
    "pair_f(beta=0)": lambda t: pair_f(t, 0),
    "bcubed_f(beta=0)": lambda t: bcubed_f(t, 0),
    "v_measure(beta=0.25)": lambda t: v_measure(t, mp.mpf("0.25")),
    "nmi": nmi,
    **{f"nmi(norm={norm})": lambda t, norm=norm: nmi(t, norm) for norm in ("min", "sqrt", "max", "joint")},
    "ami": ami,
    **{f"ami(norm={norm})": lambda t, norm=norm: ami(t, norm) for norm in ("min", "sqrt", "max")},
    "vi": vi,
    "nvi": lambda t: vi(t) / t.hc if t.hc else t.hk,
    "nvik": lambda t: vi(t) / t.hk if t.hk else t.hc,
    "vi_log_n": lambda t: over(vi(t), mp.log(t.n), 0),
    "vi_log_k": lambda t: over(vi(t), 2 * mp.log(max(len(t.a), len(t.b))), 0),
    "vi_log_k(k=12)": lambda t: vi(t) / (2 * mp.log(max(12, len(t.a), len(t.b)))),
    "entropy": lambda t: over(t.hc_k, mp.log(len(t.a)), 0),
    "q0": q0,
    "q1": q1,
    "q2": q2,
    "q0_asymptotic": lambda t: t.hc_k / mp.log(2) + len(t.b) * (len(t.a) - 1) * mp.log(t.n, 2) / t.n,
    "rand": rand,
    "ari": ari,
    "jaccard": jaccard,
    "fowlkes_mallows": fowlkes_mallows,
    "gamma": gamma,
    "mirkin": mirkin,
    "mirkin_normalised": lambda t: mirkin(t) / t.n**2,
    "pair_precision": pair_precision,
    "pair_recall": pair_recall,
    "pair_f": pair_f,
    "pair_f(beta=5)": lambda t: pair_f(t, 5),
    "purity": purity,
    "inverse_purity": inverse_purity,
    "purity_f": lambda t: over(2 * purity(t) * inverse_purity(t), purity(t) + inverse_purity(t), 0),
    "classification_error": lambda t: 1 - purity(t),
    "hamming": lambda t: (purity(t) + inverse_purity(t)) / 2,
    "van_dongen": van_dongen,
    "van_dongen_normalised": lambda t: over(van_dongen(t), 2 * t.n - max(t.a.values()) - max(t.b.values()), 0),
    "f_measure": lambda t: mp.fsum(t.a[c] * f for c, f in _best_f(t).items()) / t.n,
    "f_measure_macro": lambda t: mp.fsum(_best_f(t).values()) / len(t.a),
    "one_to_one": one_to_one,
    "one_to_one_greedy": one_to_one_greedy,
    "bcubed_precision": bcubed_precision,
    "bcubed_recall": bcubed_recall,
    "bcubed_f": bcubed_f,
    "bcubed_f(beta=2)": lambda t: bcubed_f(t, 2),
}
