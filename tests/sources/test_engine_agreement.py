"""The same labels, the same policy, the same digits: every engine against plain Python lists."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

import karat
from engines import FROM_ARROW, SLOW, counted_frame, engine_params
from shared import enough

engines = pytest.mark.parametrize("engine", list(engine_params(FROM_ARROW)))
MEASURES = ["ari", "v_measure", "f_measure", "bcubed_f", "purity"]
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)  # a case is small already, and an engine is slow
BERLIN = pa.timestamp("us", "Europe/Berlin")


def instant(hour: int) -> dt.datetime:
    """An instant of the night in which daylight saving ended: 0 and 1 are both 2:30 in Berlin."""
    return dt.datetime(2024, 10, 27, hour, 30, tzinfo=dt.UTC)


# labels that some engine merges or splits
LABELS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "text": (pa.string(), ["a", "A", "a ", "á", "a\u0301", "", "1", "ß", "ss", "İ"]),
    "text with NUL": (pa.string(), ["a", "a\0", "a\0b"]),
    "integers": (pa.int64(), [1, -1, 2**53, 2**53 + 1, -(2**63), 2**63 - 1]),
    "unsigned integers": (pa.uint64(), [1, 2**63, 2**64 - 2, 2**64 - 1]),
    "floats": (pa.float64(), [0.0, -0.0, 1.5, 1e300, float("inf"), -float("inf")]),
    "booleans": (pa.bool_(), [True, False]),
    "dates": (pa.date32(), [dt.date(2020, 1, 1), dt.date(2020, 1, 2), dt.date(1, 1, 1)]),
    "times": (pa.timestamp("us"), [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 0, 0, 0, 1)]),
    "instants": (BERLIN, [instant(0), instant(1), instant(2)]),
    "decimals": (pa.decimal128(20, 2), [Decimal(f"{n}.{cents}") for n in (1, 10**17 + 1) for cents in ("01", "02")]),
    "bytes": (pa.binary(), [b"a", b"a\0", b"A", b"b"]),
    "categories": (pa.dictionary(pa.int32(), pa.string()), ["a", "A", "b"]),
}  # fmt: skip
LACKING = {  # what an engine has no type for, or refuses: what becomes of it there is not karat's doing
    "dask": {"bytes", "categories"},  # Dask reads bytes as text, and groups no dictionaries of Arrow
    "ibis postgres": {"text with NUL"},
    "spark connect": {"unsigned integers", "categories"},
}
ARROW = ("pandas", "pyarrow", "ibis polars", "ibis duckdb", "ibis sqlite", "ibis postgres")  # which group by Arrow
EAGER = ("pyarrow reader", "modin")  # whose cells are always collected
WEIGHTS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "integers": (pa.int64(), [1, 2, 0, 2**53 + 1]),
    "floats": (pa.float64(), [0.1, 1.1, 3.3, 1e-9, 2.5, 1e6 + 0.7]),
    "decimals": (pa.decimal128(20, 2), [Decimal("1.10"), Decimal("3.30"), Decimal("0.25")]),
}


class Case(NamedTuple):
    kind: str
    gold: list[Any]
    pred: list[Any]
    weights: str | None
    given: list[Any]
    options: dict[str, Any]

    @property
    def table(self) -> pa.Table:
        kind = LABELS[self.kind][0]
        columns = {"G": pa.array(self.gold, kind), "g": pa.array([0] * len(self.gold)), "P": pa.array(self.pred, kind)}
        if self.weights is not None:
            columns["W"] = pa.array(self.given, WEIGHTS[self.weights][0])
        return pa.table(columns)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    kind = draw(st.sampled_from(sorted(LABELS)))
    size = draw(st.integers(2, 25))
    missing = draw(st.sampled_from(["raise", "drop", "singletons", "cluster"]))
    label = st.sampled_from(LABELS[kind][1])
    label_or_none = label if missing == "raise" else st.none() | label
    sides = [draw(st.lists(label_or_none, min_size=size, max_size=size)) for _ in range(2)]
    noise_as = draw(st.none() | st.sampled_from(["drop", "singletons", "cluster"]))
    options = {"missing": missing}
    if noise_as is not None and kind != "instants":
        options |= {"noise": draw(label), "noise_as": noise_as}
    weights = draw(st.none() | st.sampled_from(sorted(WEIGHTS)))
    numbers = st.sampled_from([1] if weights is None else WEIGHTS[weights][1])
    return Case(kind, *sides, weights, draw(st.lists(numbers, min_size=size, max_size=size)), options)


def plain(kind: str, labels: Sequence[Any]) -> list[Any]:
    """Labels for lists: instants by their number, since lists would merge an hour that is repeated."""
    return [None if x is None else ("instant", x.timestamp()) for x in labels] if kind == "instants" else list(labels)


def outcome(scores: Any) -> Any:
    """The scores, the total, and the numbers of items that the policy affected."""
    policy = scores.table.policy
    return dict(scores.items()), scores.table.n, policy.missing_items, policy.noise_items, policy.dropped


def result(call: Any) -> Any:
    try:
        return outcome(call())
    except karat.KaratError:
        return "refused"


@engines
@settings(deadline=None, max_examples=enough(25), suppress_health_check=list(HealthCheck), phases=PHASES)
@given(case=cases())
def test_an_engine_gives_what_lists_give(engine: str, case: Case) -> None:
    assume(case.kind not in LACKING.get(engine, ()))
    if engine in SLOW:
        assume(len(case.gold) < 12)
    frame = FROM_ARROW[engine](case.table)
    assume(frame is not None)
    weights = None if case.weights is None else case.given
    expected = result(
        lambda: karat.score(
            plain(case.kind, case.gold), plain(case.kind, case.pred), MEASURES, weights=weights, **case.options
        )
    )
    name = None if case.weights is None else "W"
    found = result(lambda: karat.score(frame, gold="G", pred="P", measures=MEASURES, weights=name, **case.options))
    assert found == expected


@pytest.mark.parametrize("engine", list(engine_params(name for name in FROM_ARROW if name not in EAGER)))
@settings(deadline=None, max_examples=enough(8), suppress_health_check=list(HealthCheck), phases=PHASES)
@given(case=cases())
def test_cells_that_stay_in_an_engine_give_what_lists_give(engine: str, case: Case) -> None:
    assume(case.kind not in LACKING.get(engine, ()))
    assume(case.options["missing"] in ("raise", "drop") and case.options.get("noise_as") != "singletons")
    assume(case.weights in (None, "integers"))
    assume((engine, case.kind) != ("dask", "decimals"))  # which it does not compare with a noise label
    if engine in ARROW:
        # Arrow refuses to divide larger integers, and to compare with integers beyond 63 bits
        assume(max(case.given) < 2**53 and case.kind != "unsigned integers")
    frame = FROM_ARROW[engine](case.table)
    assume(frame is not None)
    weights = None if case.weights is None else case.given
    table = karat.Table.from_labels
    try:
        expected = table(plain(case.kind, case.gold), plain(case.kind, case.pred), weights=weights, **case.options)
        values = [karat.parse(measure)(expected) for measure in MEASURES]
    except karat.KaratError:
        assume(False)
    name = None if case.weights is None else "W"
    counts = counted_frame(frame, gold="G", pred="P", most=0, weights=name, **case.options)
    assert [karat.parse(measure)(counts) for measure in MEASURES] == values
    assert (counts.policy.missing_items, counts.policy.noise_items) == (
        expected.policy.missing_items,
        expected.policy.noise_items,
    )
