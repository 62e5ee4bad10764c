"""Compiled kernels and their NumPy twins give the same bits, on one thread or several, and without a compiler."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

import karat
from karat import kernels
from karat.kernels import assignment, counting, expected, logarithm, objects, records, shuffling, tallying, threads
from karat.tables.profile import exact_sum
from shared import ROOT

TYPES = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]

needs_compiled = pytest.mark.skipif(karat.build_info()["kernels"] == "numpy", reason="no kernel is compiled here")


def twin(function: Any) -> Callable[..., Any]:
    return function.twin  # type: ignore[no-any-return]


def same(found: Any, right: Any) -> bool:
    if isinstance(right, tuple):
        return len(found) == len(right) and all(map(same, found, right))
    if isinstance(right, np.ndarray):
        return found.dtype == right.dtype and found.tobytes() == right.tobytes()
    return bool(found == right)


@st.composite
def columns(draw: Any) -> np.ndarray[Any, Any]:
    """Integers of any type, in any range, with any step from one to the next."""
    kind = np.dtype(draw(st.sampled_from(TYPES)))
    info = np.iinfo(kind)
    low = draw(st.integers(int(info.min), int(info.max)))
    high = min(int(info.max), low + draw(st.sampled_from([0, 1, 5, 300, 70_000, 2**62])))
    step = draw(st.sampled_from([1, 2, 3, -1]))
    values = draw(st.lists(st.integers(low, high), min_size=40, max_size=40))
    return np.array(values, dtype=kind)[::step][:12]


@given(columns(), columns())
def test_cells_are_those_of_a_dictionary(left: np.ndarray[Any, Any], right: np.ndarray[Any, Any]) -> None:
    found = counting.cross_count(left, right)
    cells: dict[tuple[int, int], int] = {}
    for pair in zip(left.tolist(), right.tolist(), strict=True):
        cells[pair] = cells.get(pair, 0) + 1
    keys = list(zip(found.left[found.rows].tolist(), found.right[found.cols].tolist(), strict=True))
    assert keys == sorted(cells)
    assert dict(zip(keys, found.counts.tolist(), strict=True)) == cells
    assert found.left.tolist() == sorted(set(left.tolist()))
    assert (found.left.dtype, found.right.dtype) == (left.dtype, right.dtype)
    assert found.row_sizes is not None
    assert found.row_sizes.tolist() == [left.tolist().count(value) for value in found.left.tolist()]


@pytest.mark.parametrize("kind", [">i4", "<u2", ">u8"])
def test_foreign_bytes_and_odd_steps_are_counted(kind: str) -> None:
    record = np.zeros(5, dtype=[("tag", "u1"), ("label", kind)])
    record["label"] = [3, 3, 1, 9, 1]
    table = karat.Table.from_labels(record["label"], record["label"])
    assert (table.classes, table.counts.tolist()) == ((1, 3, 9), [2, 2, 1])


@pytest.fixture(params=["small range", "gaps", "wide", "many"])
def pair(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    rng = np.random.default_rng(8)
    n = 300_000
    left, right = rng.integers(0, 30, n), rng.integers(-5, 20, n)
    if request.param == "gaps":
        return left * 1000, right
    if request.param == "wide":
        return rng.integers(-(2**62), 2**62, 500)[left], right
    if request.param == "many":
        return rng.integers(0, 60_000, n), rng.integers(0, 60_000, n).astype(np.int32)
    return left, right


def test_threads_change_nothing(pair: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for number in (1, 2, 5):
        monkeypatch.setattr(threads, "THREADS", number)
        found.append(counting.cross_count(*pair))
    assert same(found[0], found[1])
    assert same(found[0], found[2])
    sizes = np.arange(1, 400)
    information = []
    for number in (1, 3):
        monkeypatch.setattr(threads, "THREADS", number)
        information.append(expected.expected_information(sizes, sizes, sizes, sizes, int((sizes * sizes).sum())))
    assert information[0] == information[1]


def test_chunks_change_nothing(pair: tuple[Any, Any]) -> None:
    left, right = pair
    whole = karat.Table.from_labels(left, right)
    parts = zip(np.array_split(left, 7), np.array_split(right, 7), strict=True)
    assert dict(karat.score(karat.Table.from_batches(parts))) == dict(karat.score(whole))


@needs_compiled
def test_counting_has_a_twin_of_the_same_bits(pair: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = counting.cross_count(*pair)
    for name in ("count_dense", "histogram", "scatter", "regroup", "count_runs", "write_runs", "first_seen"):
        monkeypatch.setattr(counting, name, twin(getattr(counting, name)))
    assert same(compiled, counting.cross_count(*pair))


@needs_compiled
@given(st.lists(st.integers(1, 9), min_size=1, max_size=20), st.integers(1, 9), st.integers(0, 99))
def test_shuffles_have_a_twin_of_the_same_draws(classes: list[int], number: int, seed: int) -> None:
    clusters = np.bincount(np.arange(sum(classes)) % number)
    clusters, sizes = clusters[clusters > 0], np.array(classes)
    both = (shuffling.joined_after_shuffles, twin(shuffling.joined_after_shuffles))
    drawn = []
    for function in both:
        rng = np.random.default_rng(seed)
        drawn.append([*function(sizes, clusters, rng, 3), rng.random()])  # which leave the stream at the same place
    assert drawn[0] == drawn[1]
    assert shuffling._agree()


def test_a_numpy_that_shuffles_otherwise_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shuffling, "_agree", lambda: False)
    sizes = np.array([3, 4, 5])
    found = shuffling.joined_at_random(sizes, sizes, np.random.default_rng(2), 4)
    assert found.tolist() == twin(shuffling.joined_after_shuffles)(sizes, sizes, np.random.default_rng(2), 4).tolist()


@needs_compiled
@given(st.lists(st.floats(0, 1e300)), st.lists(st.integers(0, 5), min_size=1))
def test_sums_have_twins_of_the_same_bits(floats: list[float], codes: list[int]) -> None:
    values = np.array(floats)
    assert same(tallying.sums_by_exponent(values), twin(tallying.sums_by_exponent)(values))
    places, counts = np.array(codes), np.arange(1, len(codes) + 1)
    assert same(tallying.add_by_code(places, counts, 6), twin(tallying.add_by_code)(places, counts, 6))
    for weights in (counts, counts / 3):
        assert same(tallying.best_by_code(places, weights, 6), twin(tallying.best_by_code)(places, weights, 6))
    assert exact_sum(values) == sum(map(exact_sum, values.reshape(-1, 1)), 0)


@needs_compiled
@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(1, 12), st.sampled_from([2, 5, 1000]))
def test_matchings_have_a_twin_of_the_same_weight(seed: int, rows: int, cols: int, top: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.integers(0, top, (rows, cols)) * (rng.random((rows, cols)) < 0.5)
    at = [np.ascontiguousarray(places) for places in np.nonzero(matrix)]
    if not at[0].size:
        return
    values = matrix[at[0], at[1]]
    starts = np.searchsorted(at[0], np.arange(rows + 1))
    order = np.flatnonzero(np.diff(starts))
    nothing = np.full(rows, -1)
    weights = []
    for place in (assignment.place_rows, twin(assignment.place_rows)):
        chosen = place(starts, at[1], values, order, nothing)
        chosen = chosen[chosen >= 0]
        assert len(set(at[0][chosen])) == len(set(at[1][chosen])) == chosen.size
        weights.append(int(values[chosen].sum()))
    pairs = [(place(starts, at[1]) >= 0).sum() for place in (assignment.most_pairs, twin(assignment.most_pairs))]
    assert pairs[0] == pairs[1]
    best = int(matrix[linear_sum_assignment(matrix, maximize=True)].sum())
    assert weights == [best, best]


@needs_compiled
@given(st.lists(st.floats(1e-90, 1e90), min_size=1))
def test_logarithms_have_a_twin_of_the_same_bits(values: list[float]) -> None:
    x, table = np.array(values), logarithm._table()
    assert same(logarithm.log_pairs(x, table), twin(logarithm.log_pairs)(x, table))
    zeros = np.zeros_like(x)
    assert same(logarithm.terms_of(x, zeros, x, table), twin(logarithm.terms_of)(x, zeros, x, table))


@needs_compiled
@given(st.integers(2, 2**61), st.data())
def test_expectations_have_a_twin_of_the_same_bits(n: int, data: st.DataObject) -> None:
    gold, pred = (
        np.array(
            sorted(data.draw(st.sets(st.one_of(st.integers(1, min(n, 99)), st.integers(1, n)), min_size=1, max_size=4)))
        )
        for _ in range(2)
    )
    logs = [logarithm.log_integers(sizes) for sizes in (gold, pred, np.array([n]))]
    times = np.linspace(1, 2, pred.size)
    arguments = (gold, logs[0], pred, logs[1], times, n, logs[2][:, 0].tolist(), *logarithm.log_tables())
    assert same(expected.expected_rows(*arguments), twin(expected.expected_rows)(*arguments))


@needs_compiled
@given(st.lists(st.one_of(st.integers(-2, 2), st.text(max_size=1), st.none(), st.floats(allow_nan=False), st.tuples())))
def test_numbered_objects_have_a_twin(values: list[Any]) -> None:
    found, right = objects.number_objects(values), twin(objects.number_objects)(values)
    assert found[0].tolist() == right[0].tolist()
    assert list(map(repr, found[1])) == list(map(repr, right[1]))


@needs_compiled
@given(st.lists(st.text('a", \t\n\r', max_size=12), max_size=4))
def test_scanned_records_have_a_twin(parts: list[str]) -> None:
    state, right = records.new_scan(), records.new_scan()
    for part in parts:
        records.scan_records(part.encode(), ord(","), state)
        twin(records.scan_records)(part.encode(), ord(","), right)
        assert state.tolist() == right.tolist()


SCORES = """
import karat, numpy as np
rng = np.random.default_rng(0)
measures = "all"
for n, k in ((1000, 10), (50_000, 3000), (300_000, 40)):
    gold, pred = rng.integers(0, k, n), rng.integers(0, 2 * k, n)
    print([value.hex() for value in karat.score(gold, pred, measures).values()])
print(karat.build_info()["kernels"])
"""


@needs_compiled
def test_every_measure_has_the_same_bits_without_compiled_kernels() -> None:
    results = []
    for choice in ("", "numpy"):
        environment = {**os.environ, "KARAT_KERNELS": choice}
        run = subprocess.run(
            [sys.executable, "-c", SCORES], env=environment, capture_output=True, text=True, check=True
        )
        results.append(run.stdout.splitlines())
    assert results[0][:-1] == results[1][:-1]
    assert (results[0][-1], results[1][-1]) == ("compiled", "numpy")


def test_a_source_that_was_not_compiled_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "EXTENSION_SUFFIXES", [".none"])
    kernels._compiled.cache_clear()
    try:
        assert karat.build_info()["kernels"] == "numpy"
    finally:
        kernels._compiled.cache_clear()


@needs_compiled
def test_a_module_that_cannot_be_loaded_leaves_the_twins(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(kernels, "import_module", refuse)
    kernels._compiled.cache_clear()
    try:
        assert kernels._compiled() == {}
    finally:
        kernels._compiled.cache_clear()


@needs_compiled
def test_values_out_of_range_are_refused() -> None:  # as when another thread changes the array meanwhile
    with pytest.raises(ValueError, match="changed while"):
        counting.histogram(np.array([0, 9]), 0, 5, 0, 2)
    places, out = np.zeros(3, dtype=np.int64), np.zeros(2, dtype=np.uint32)
    with pytest.raises(ValueError, match="changed while"):
        counting.scatter(np.array([0, 7]), 0, np.array([1, 1]), 0, places, out, 0, 2)
    with pytest.raises(ValueError, match="changed while"):
        counting.scatter(np.array([0, 0, 0]), 0, np.array([1, 1, 1]), 0, places.copy(), out, 0, 3)


def test_a_process_that_forks_keeps_counting() -> None:
    code = (
        "import os, karat, numpy as np\n"
        "labels = np.arange(400_000) % 7\n"
        "karat.ari(labels, labels)\n"
        "child = os.fork()\n"
        "ok = karat.ari(labels, labels) == 1\n"
        "if not child: os._exit(0 if ok else 1)\n"
        "assert ok and os.waitpid(child, 0)[1] == 0\n"
    )
    if hasattr(os, "fork"):
        subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, timeout=60)


def test_counting_goes_on_while_the_interpreter_ends() -> None:
    code = (
        "import atexit, karat, numpy as np\n"
        "labels = np.arange(400_000) % 7\n"
        "karat.ari(labels, labels)\n"
        "atexit.register(lambda: print(karat.ari(labels, labels)))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "1.0\n"


def test_an_array_that_changes_meanwhile_is_refused_by_the_twin_as_well() -> None:
    with pytest.raises(ValueError, match="changed while"):
        twin(counting.histogram)(np.array([0, 2**31]), 0, 5, 0, 2)


@pytest.mark.parametrize("command", [["build_ext", "--inplace"], ["build"]], ids=" ".join)
def test_building_without_a_compiler_warns_and_uses_nothing_of_an_earlier_build(
    tmp_path: Path, command: list[str]
) -> None:
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    target = tmp_path / "src/karat/kernels/compiled"
    target.mkdir(parents=True)
    for path in (ROOT / "src/karat").glob("version.py"):
        (tmp_path / "src/karat" / path.name).write_bytes(path.read_bytes())
    for package in ("src/karat", "src/karat/kernels", "src/karat/kernels/compiled"):
        (tmp_path / package / "__init__.py").touch()
    source = ROOT / "src/karat/kernels/compiled/objects.py"
    (target / source.name).write_bytes(source.read_bytes())
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    library = tmp_path / f"build/lib.{sysconfig.get_platform()}-{sys.implementation.cache_tag}/karat"
    home = target if "--inplace" in command else library / "kernels/compiled"
    home.mkdir(parents=True, exist_ok=True)
    (home / f"objects{suffix}").write_text("of an earlier build")
    library.mkdir(parents=True, exist_ok=True)
    (library / "gone.py").write_text("a module that is no more")
    build = subprocess.run(
        [sys.executable, "setup.py", *command],
        cwd=tmp_path,
        env={**os.environ, "CC": "/bin/false"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert build.returncode == 0, build.stderr
    assert "karat's compiled kernels were not built" in build.stderr
    assert "up to 200 times" in build.stderr
    assert not list(home.glob(f"*{suffix}"))
    if command == ["build"]:
        assert (library / "version.py").exists()
        assert not (library / "gone.py").exists()
