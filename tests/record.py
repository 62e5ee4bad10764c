"""Numbers that karat gave at 0.1.0, to show at once which of them a change alters.

`record.json.gz` has some thousands of values: every measure with its parameters on odd tables, policies for missing
labels and noise, weights, chance, intervals, differences, explanations, and the ways in (frames, files, the command
line). tests/test_record.py computes them again. `known_faults.json` lists those that were wrong in 0.1.0, by reason,
each with the right value; it is expected if the fault has been mended, until then the wrong value is.

    python tests/record.py                    compares, and lists every value that has changed
    python tests/record.py --accept "reason"  adds the values that have changed to known_faults.json, as mended
    python tests/record.py --write            makes the record anew, with the karat that this interpreter has
"""

from __future__ import annotations

import gzip
import json
import math
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import karat
from doors import DOORS, Case, variants

RECORD = Path(__file__).with_name("record.json.gz")
FAULTS = Path(__file__).with_name("known_faults.json")
Value = float | str | None
Values = dict[str, Value]

PARAMETERS = [
    "v_measure(beta=0)", "v_measure(beta=0.5)", "v_measure(beta=2)", "nmi(norm=min)", "nmi(norm=sqrt)", "nmi(norm=max)",
    "nmi(norm=joint)", "ami(norm=min)", "ami(norm=sqrt)", "ami(norm=max)", "pair_f(beta=0.5)", "pair_f(beta=5)",
    "bcubed_f(beta=2)", "vi_log_k(k=7)",
]  # fmt: skip
FEW = ["v_measure", "nvi", "ami", "ari", "fowlkes_mallows", "purity", "f_measure", "one_to_one", "bcubed_f", "q2"]


def tables() -> dict[str, Any]:
    """Matrices by name: by hand, and drawn from fixed seeds."""
    made: dict[str, Any] = {
        "textbook": [[5, 1, 2], [1, 4, 0], [0, 1, 3]],
        "one item": [[1]],
        "one class, one cluster": [[7]],
        "one class": [[3, 1, 4, 1]],
        "one cluster": [[3], [1], [4]],
        "gold itself": [[3, 0, 0], [0, 5, 0], [0, 0, 1]],
        "two singletons": [[1, 0], [0, 1]],
        "all singletons, found": np.eye(6, dtype=int),
        "all apart": [[1, 1, 1, 0, 0], [0, 0, 0, 1, 1]],
        "independent": [[2, 4, 6], [3, 6, 9]],
        "a refinement": [[2, 3, 0, 0], [0, 0, 4, 1]],
        "merged": [[2, 0], [3, 0], [0, 4]],
        "ties": [[2, 2, 2], [2, 2, 2], [2, 2, 2]],
        "pair counts that look alike": [[3, 0, 1], [0, 1, 0], [0, 1, 0], [1, 0, 0]],
        "one of 10^12 wrong": [[10**12 - 1, 0], [1, 10**12]],
        "10^12 and 1": [[10**12, 1], [1, 1]],
        "four billion": [[4 * 10**9, 0], [0, 4 * 10**9]],
        "halves": [[1.5, 0.5], [0.5, 1.5]],
        "weights": [[2.25, 0.5, 1e-9], [0.0, 7.0, 3.125]],
        "real and large": [[1e15, 1.5], [2.5, 1e3]],
    }
    for seed in range(24):
        rng = np.random.default_rng(seed)
        shape = tuple(rng.integers(1, 9, 2))
        kinds: list[Callable[[], Any]] = [
            lambda r=rng, s=shape: r.integers(0, 4, s),
            lambda r=rng, s=shape: r.integers(0, 10**6, s) * (r.random(s) < 0.5),
            lambda r=rng, s=shape: r.zipf(1.6, s).clip(max=10**9) - 1,
            lambda r=rng, s=shape: np.round(10 ** r.uniform(-2, 4, s), 6) * (r.random(s) < 0.7),
        ]
        matrix = kinds[seed % 4]()
        if matrix.any():
            made[f"drawn {seed}"] = matrix
    return made


def labels(seed: int) -> tuple[list[int], list[int], list[int]]:
    """Gold and two systems, the second worse."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(40, 200)), int(rng.integers(2, 9))
    gold = rng.integers(0, k, n)
    systems = [np.where(rng.random(n) < noise, rng.integers(0, k + 2, n), gold) for noise in (0.2, 0.45)]
    return gold.tolist(), systems[0].tolist(), systems[1].tolist()


def attempt(compute: Callable[[], Any]) -> Value:
    """A number, None where there is none, or the name of the error."""
    try:
        value = compute()
    except karat.KaratError as problem:
        return f"{type(problem).__name__}"
    if value is None:
        return None
    value = float(value)
    return value if math.isfinite(value) else repr(value)


def measures() -> Iterator[tuple[str, Value]]:
    """Every measure on every table."""
    chosen = [*(str(m) for m in karat.list_measures()), *PARAMETERS]
    for name, matrix in tables().items():
        table = karat.Table.from_matrix(matrix)
        for text in chosen:
            yield f"{name} | {text}", attempt(lambda t=table, m=text: karat.parse(m)(t))


CASES = [
    Case(["a", None, "a", "b", "b", None, "c", "c"], ["x", "x", None, "y", "y", None, "y", "z"]),
    Case(["a", "a", "b", "b", "b", "c", "c"], [0, -1, 1, 1, -1, -1, 2], noise=-1),
    Case(["a", None, "b", "b", "b", "c"], ["k", "-", "l", "l", "-", "-"], noise="-"),
    Case(["a", "a", "b", "b", "c"], ["x", "x", "x", "y", "y"], weights=[1, 2, 0, 5, 1]),
    Case([1, 1, 2, 2, 3], [1, 1, 1, 2, 2], weights=[3, 2, 7, 5, 1]),
    Case(["a,b", 'q"q', "it's", "ü", "a,b"], ["01", "1", "1.0", "NA", "NA"]),
]


def named(case: Case) -> str:
    """A case under its policy, in few words."""
    return f"case {next(i for i, c in enumerate(CASES) if c.gold == case.gold)} {case.missing} {case.noise_as}"


def every_case() -> Iterator[Case]:
    """The cases under all their policies."""
    return (variant for case in CASES for variant in variants(case))


def policies() -> Iterator[tuple[str, Value]]:
    """Labels under every policy."""
    for case in every_case():
        scores = karat.score(list(case.gold), list(case.pred), FEW, **case.options)
        for text in scores:
            yield f"{named(case)} | {text}", attempt(lambda s=scores, m=text: s[m])


def ways_in() -> Iterator[tuple[str, Value]]:
    """The same through every door that needs nothing more to be installed."""
    with tempfile.TemporaryDirectory() as folder:
        for case in every_case():
            case = replace(case, measures=("v_measure", "ari", "purity"))
            for door in DOORS:
                if door.group is None and door.name != "app" and "dask" not in door.name and door.carries(case):
                    try:
                        scores = door.score(case, Path(folder))
                    except Exception as problem:  # a raw error is a fault, to be listed as one
                        scores = dict.fromkeys(case.measures, type(problem).__name__)
                    for text in case.measures:
                        yield f"{door.name} | {named(case)} | {text}", scores[text]


def chance() -> Iterator[tuple[str, Value]]:
    """Adjusted and standardised measures, and p-values, exact or drawn with fixed seeds."""
    chosen = ["textbook", "pair counts that look alike", "a refinement", "all apart", "gold itself", "drawn 0"]
    for name in chosen:
        table = karat.Table.from_matrix(tables()[name])
        for text in ("rand", "jaccard", "fowlkes_mallows", "v_measure", "purity", "bcubed_f", "nmi"):
            for null in ("margins", "number", "all"):
                for kind in (karat.adjusted, karat.standardized):
                    made = kind(text, null=null, samples=50, seed=3)
                    yield f"{name} | {made}", attempt(lambda t=table, m=made: m(t))
            p = attempt(lambda t=table, m=text: karat.p_value(t, measure=m, samples=99, seed=3))
            yield f"{name} | p by {text}", p


def uncertainty() -> Iterator[tuple[str, Value]]:
    """Intervals, differences and their p-values."""
    for seed in range(8):
        gold, good, poor = labels(seed)
        for unit in ("items", "classes"):
            scores = karat.score(gold, good, FEW, interval=0.95, unit=unit, resamples=60, seed=3)  # type: ignore[arg-type]
            for text, found in scores.intervals.items():
                for field in ("low", "high", "estimate", "standard_error"):
                    yield f"labels {seed} {unit} | {text} {field}", attempt(lambda f=found, n=field: getattr(f, n))
        compared = karat.compare(gold, {"good": good, "poor": poor}, FEW, resamples=60, seed=3)
        for text in FEW:
            difference = compared.difference("good", "poor", text)
            # the record has the difference of the better minus the worse, in the direction of the measure
            turned = (difference.estimate < 0) if difference.tested else False
            ends = (difference.low, difference.high)
            low, high = (-ends[1], -ends[0]) if turned else ends
            values = {"low": low, "high": high, "p": difference.p}
            for field, value in values.items():
                yield f"labels {seed} compared | {text} {field}", attempt(lambda v=value: v)


def explanations() -> Iterator[tuple[str, Value]]:
    """The best merge and the best split."""
    for seed in range(4):
        gold, good, _ = labels(seed)
        for text in ("ari", "v_measure", "purity"):
            found = karat.explain(gold, good, measure=text)
            for kind in ("merges", "splits"):
                best = getattr(found, kind)
                yield f"labels {seed} | {text} {kind}", best[0].value if best else None


SECTIONS: dict[str, Callable[[], Iterator[tuple[str, Value]]]] = {
    "measures": measures, "policies": policies, "ways in": ways_in, "chance": chance, "uncertainty": uncertainty,
    "explanations": explanations,
}  # fmt: skip


def computed(section: str) -> Values:
    """The values of a section as karat gives them now."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dict(SECTIONS[section]())


def values(section: str) -> Values:
    """The values of 0.1.0."""
    found: Values = json.loads(gzip.decompress(RECORD.read_bytes()))[section]
    return found


def expected(section: str) -> Values:
    """The values of 0.1.0, and the right ones of faults that were mended; later reasons replace earlier ones."""
    found = values(section)
    for fault in faults():
        if fault["mended"]:
            found |= fault["right"].get(section, {})
    return found


def faults() -> list[dict[str, Any]]:
    """What was wrong: why, whether it is mended, and the right values by section and key."""
    found: list[dict[str, Any]] = json.loads(FAULTS.read_text(encoding="utf-8"))
    return found


def accept(why: str) -> None:
    """Take the values that have changed for right."""
    right = {section: {key: now for key, (_, now) in changes(section).items()} for section in SECTIONS}
    listed = [*faults(), {"why": why, "mended": True, "right": {s: found for s, found in right.items() if found}}]
    FAULTS.write_text(json.dumps(listed, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def alike(now: Value, before: Value) -> bool:
    """The same to eleven digits, as far as sums in another order may differ."""
    if isinstance(now, float) and isinstance(before, (int, float)):
        return math.isclose(now, before, rel_tol=1e-11, abs_tol=1e-11)
    return now == before


def changes(section: str) -> dict[str, tuple[Value, Value]]:
    """The values that are not as expected: before and now; None for those that have come or gone."""
    before, now = expected(section), computed(section)
    keys = [*before, *(key for key in now if key not in before)]
    return {
        key: (before.get(key), now.get(key))
        for key in keys
        if key not in before or key not in now or not alike(now[key], before[key])
    }


def main() -> int:
    """Write the record, or list what has changed."""
    if sys.argv[1:] == ["--write"]:
        text = json.dumps({section: computed(section) for section in SECTIONS}, separators=(",", ":"))
        RECORD.write_bytes(gzip.compress(text.encode(), mtime=0))
        return 0
    if sys.argv[1:2] == ["--accept"]:
        accept(sys.argv[2])
        return 0
    found = {f"{section} | {key}": pair for section in SECTIONS for key, pair in changes(section).items()}
    for key, (before, now) in found.items():
        print(f"{key}: {before} -> {now}")
    print(f"{len(found)} values have changed")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
