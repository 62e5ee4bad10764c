"""The table: its ways in and out, sums, and what it refuses."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import karat
from karat.tables.profile import Totals
from karat.tables.trivial import OneCluster, Singletons
from karat.uncertainty.resamples import Resampled
from strategies import labelings, real_tables, tables

MATRIX = [[5, 1, 2], [1, 4, 0], [0, 1, 3]]


def test_a_table_knows_its_margins() -> None:
    table = karat.Table.from_matrix(MATRIX, classes=["x", "o", "d"])
    assert table.classes == ("x", "o", "d")
    assert table.clusters == (0, 1, 2)
    assert table.class_sizes.tolist() == [8, 5, 4]
    assert table.cluster_sizes.tolist() == [6, 6, 5]
    assert (table.n, table.shape) == (17, (3, 3))
    assert repr(table) == "<Table: 17 items, 3 classes, 3 clusters, 7 cells>"
    assert repr(karat.Table.from_labels([0], [0])) == "<Table: 1 item, 1 class, 1 cluster, 1 cell>"


@pytest.mark.parametrize(
    "matrix",
    [np.array(MATRIX), np.array(MATRIX, dtype=np.uint8), np.array(MATRIX, dtype=float), np.array(MATRIX, dtype=object),
     sparse.csr_matrix(MATRIX), sparse.coo_array(MATRIX), pd.DataFrame(MATRIX)],
    ids=["int", "uint8", "float", "object", "csr", "coo", "frame"],
)  # fmt: skip
def test_matrices_of_every_kind_are_the_same_table(matrix: Any) -> None:
    assert karat.Table.from_matrix(matrix) == karat.Table.from_matrix(MATRIX)


def test_a_crosstab_brings_its_names() -> None:
    gold, pred = pd.Series(list("xxoo"), name="gold"), pd.Series([1, 1, 1, 2], name="pred")
    assert karat.Table.from_matrix(pd.crosstab(gold, pred)) == karat.Table.from_labels(gold, pred)


def test_empty_classes_and_clusters_do_not_count() -> None:
    table = karat.Table.from_matrix([[0, 2, 0], [0, 0, 0], [0, 1, 3]])
    assert (table.shape, table.classes, table.clusters) == ((2, 2), (0, 2), (1, 2))


def test_equal_cells_of_a_sparse_matrix_add_up() -> None:
    doubled = sparse.coo_matrix(([1, 2], ([0, 0], [0, 0])), shape=(1, 1))
    assert karat.Table.from_matrix(doubled).counts.tolist() == [3]


def test_real_cells_are_kept_and_whole_ones_are_counts() -> None:
    real = karat.Table.from_matrix([[1.5, 0.5], [0.5, 1.5]])
    assert real.counts.tolist() == [1.5, 0.5, 0.5, 1.5]
    assert not real.integral
    assert karat.Table.from_matrix([[2.0, 1.0]]).integral


def test_cells_of_any_magnitude_are_exact() -> None:
    table = karat.Table.from_cells(["a", "a"], [0, 1], [2**61, 1])
    assert table.n == 2**61 + 1
    assert karat.purity(table) == pytest.approx(1 - 2**-61, abs=1e-18)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1, -2]], r"the table has the cell -2; give finite cells, none negative\."),
        ([[1.0, float("nan")]], "the table has the cell nan"),
        ([[1.0, float("inf")]], "the table has the cell inf"),
        ([[0, 0]], r"the table of shape \(1, 2\) has no items"),
        ([[1, 2], [3]], "the rows of the table have different lengths"),
        ([1, 2, 3], r"the table has shape \(3,\); give a matrix"),
        (np.ones((2, 2, 2)), r"the table has shape \(2, 2, 2\)"),
        ([["a", "b"]], "the table has the cell 'a'; cells are counts or weights, so give numbers"),
        ([[1 + 2j]], r"the table has the cell \(1\+2j\)"),
        ([["1", "2"]], "the table has the cell '1'"),
        (np.array([[1, None]], dtype=object), "the table has the cell None"),
        (np.ma.MaskedArray([[1, 2]], mask=[[1, 0]]), "the table has masked cells"),
        ([[10**400, 1]], "the table has the cell inf"),
        ([[1e308, 1e308]], "the cells add up to inf"),
        (sparse.coo_array(([1], ([0],)), shape=(2,)), r"the table has shape \(2,\)"),
        ([[10**30]], r"the cells add up to 1e\+30; karat counts fewer than 2\^62"),
        (np.array([[2**64 - 1]], dtype=np.uint64), "the cells add up to 1.84e"),
    ],
)
def test_what_is_not_a_table_is_refused(matrix: Any, message: str) -> None:
    with pytest.raises(karat.TableError, match=message):
        karat.Table.from_matrix(matrix)


def test_names_must_fit() -> None:
    with pytest.raises(karat.TableError, match="classes has 1 names but the table has 3 rows"):
        karat.Table.from_matrix(MATRIX, classes=["x"])
    with pytest.raises(karat.TableError, match="clusters has the name 'k' twice"):
        karat.Table.from_matrix(MATRIX, clusters=["k", "k", "l"])


@pytest.mark.parametrize("name", [None, float("nan"), pd.NA, ["list"]], ids=["None", "NaN", "NA", "list"])
def test_names_are_labels(name: Any) -> None:
    with pytest.raises(karat.TableError, match=r"stands for a missing label|cannot be a label"):
        karat.Table.from_matrix([[1], [2]], classes=[name, "a"])
    assert karat.Table.from_matrix([[1], [2]], classes=[1, True]).shape == (2, 1)


def test_tables_can_be_summed() -> None:
    table = karat.Table.from_labels(["x", "y"], [1, 2])
    assert sum([table, table, table]) == karat.Table.from_cells(["x", "y"], [1, 2], [3, 3])


def test_tables_add_by_label() -> None:
    a = karat.Table.from_labels(["x", "y"], [1, 2])
    b = karat.Table.from_labels(["z", "y"], [2, 2])
    assert a + b == karat.Table.from_labels(["x", "y", "z", "y"], [1, 2, 2, 2])
    with pytest.raises(TypeError):
        a + 1  # type: ignore[operator]


def test_a_number_and_a_text_stay_apart_when_added() -> None:
    assert (karat.Table.from_labels([1], [1]) + karat.Table.from_labels(["1"], [True])).shape == (2, 2)


def test_tables_under_different_policies_do_not_add() -> None:
    plain = karat.Table.from_labels([0], [0])
    dropped = karat.Table.from_labels([0, 1], [0, None], missing="drop")
    with pytest.raises(
        karat.TableError, match=r"different policies \(missing='raise', noise kept, without weights and missing='drop'"
    ):
        plain + dropped
    assert (dropped + dropped).policy.missing_items == 2


@given(tables, tables, tables)
def test_adding_is_associative_and_commutative(a: karat.Table, b: karat.Table, c: karat.Table) -> None:
    assert (a + b) + c == a + (b + c)
    assert a + b == b + a


def test_a_stream_of_batches_is_one_table() -> None:
    rng = np.random.default_rng(0)
    gold, pred = rng.integers(0, 50, 3000), rng.integers(0, 40, 3000)
    batches = ((gold[i : i + 7], pred[i : i + 7]) for i in range(0, 3000, 7))
    assert karat.Table.from_batches(batches) == karat.Table.from_labels(gold, pred)
    weighted = karat.Table.from_batches([([0, 1], [0, 1], [2, 3]), ([0], [1], [4])])
    assert weighted == karat.Table.from_cells([0, 1, 0], [0, 1, 1], [2, 3, 4])
    with pytest.raises(karat.TableError, match="there are no batches"):
        karat.Table.from_batches([])
    for batch in (5, ([1],), ([1], [1], [1], [1])):
        with pytest.raises(karat.TableError, match="is not a batch; give"):
            karat.Table.from_batches([batch])


def test_transposing_swaps_gold_and_pred() -> None:
    table = karat.Table.from_matrix(MATRIX, classes="abc")
    assert table.T.classes == (0, 1, 2)
    assert table == table.T.T
    assert table.T.to_sparse().toarray().tolist() == np.array(MATRIX).T.tolist()


@pytest.mark.parametrize(
    ("backend", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame), ("pyarrow", pa.Table)]
)
def test_a_table_as_a_frame(backend: str, kind: type) -> None:
    frame = karat.Table.from_labels(["x", "x", "o"], [1, 2, 2]).to_frame(backend)
    assert isinstance(frame, kind)
    columns = {
        name: list(frame[name].to_pylist() if backend == "pyarrow" else frame[name])
        for name in ("gold", "pred", "count")
    }
    assert columns == {"gold": ["o", "x", "x"], "pred": [2, 1, 2], "count": [1, 1, 1]}


@pytest.mark.parametrize("backend", ["polars", "pyarrow"])
def test_mixed_labels_become_text_where_a_frame_needs_one_type(backend: str) -> None:
    table = karat.Table.from_labels([1, "1", None], [2**70, (1, "a"), 2.5], missing="singletons")
    assert len(table.to_frame(backend)) == 3
    with pytest.raises(karat.KaratError, match="there is no data frame library 'dask' here"):
        table.to_frame("dask")


def test_a_table_cannot_be_changed() -> None:
    table = karat.Table.from_matrix(MATRIX)
    with pytest.raises(AttributeError):
        table.rows = np.array([0])  # type: ignore[misc]
    for array in (table.counts, table.class_sizes, pickle.loads(pickle.dumps(table)).counts):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9
    with pytest.raises(TypeError):
        hash(table)


@given(st.one_of(tables, real_tables))
def test_pickling_keeps_a_table(table: karat.Table) -> None:
    assert pickle.loads(pickle.dumps(table)) == table


@given(labelings())
def test_a_table_expands_to_its_items(pair: tuple[list[int], list[int]]) -> None:
    table = karat.Table.from_labels(*pair)
    assert (
        karat.Table.from_labels(*table.expand()).to_sparse().toarray().tolist() == table.to_sparse().toarray().tolist()
    )


def test_a_real_table_has_no_items_to_list() -> None:
    with pytest.raises(karat.TableError, match="a list of items needs integer counts"):
        karat.Table.from_matrix([[0.5, 2.5]]).expand()


@given(st.one_of(tables, real_tables))
def test_a_profile_holds_the_sizes_exactly(table: karat.Table) -> None:
    profile = table.profile
    assert profile.cells.total == profile.classes.total == profile.clusters.total
    assert profile.cells.number == table.counts.size
    assert profile.shape == (len(table.classes), len(table.clusters))
    assert float(profile.n) == pytest.approx(table.counts.sum(), rel=1e-15)


def test_a_profile_is_small() -> None:
    rng = np.random.default_rng(1)
    n = 200_000
    table = karat.Table.from_labels(rng.zipf(1.4, n) % 50_000, rng.zipf(1.4, n) % 50_000)
    assert all(
        len(sizes.size) <= (2 * n) ** 0.5
        for sizes in (table.profile.cells, table.profile.classes, table.profile.clusters)
    )


def test_a_stack_holds_tables_of_one_shape() -> None:
    stack = karat.Stack([MATRIX, [[1, 0, 0], [0, 0, 0], [0, 0, 2]]])
    assert (len(stack), repr(stack)) == (2, "<Stack: 2 tables of 3 classes and 3 clusters>")
    assert stack[0] == karat.Table.from_matrix(MATRIX)
    assert [t.shape for t in stack] == [(3, 3), (2, 2)]
    assert [s.tolist() for s in stack.shape] == [[3, 2], [3, 2]]
    with pytest.raises(karat.TableError, match="take one of its tables"):
        stack.expand()


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ([[1, 2]], r"a stack cannot have shape \(1, 2\); give \(tables, classes, clusters\)"),
        ([[[1, -1]]], r"the cell -1.0 at \(0, 0, 1\); give finite cells, none negative"),
        ([[[1, float("nan")]]], r"the cell nan at \(0, 0, 1\)"),
        ([[["1"]]], "a stack holds an array of numbers"),
        ([[[1]], [[1, 2]]], "the tables have different shapes"),
        (np.zeros((0, 2, 2)), r"a stack cannot have shape \(0, 2, 2\)"),
        ([karat.Table.from_labels([0], [0])], "use Stack.of"),
        ([[[1]], [[0]]], "table 1 of the stack has no items"),
    ],
)
def test_what_is_not_a_stack_is_refused(tables: Any, message: str) -> None:
    with pytest.raises(karat.TableError, match=message):
        karat.Stack(tables)


def test_a_stack_is_made_of_tables() -> None:
    table = karat.Table.from_labels([0], [0])
    assert len(karat.Stack.of(iter([table]))) == 1
    for several in ([], [1], 3, table):
        with pytest.raises(karat.TableError, match=r"Stack\.of takes a list of one or more Tables"):
            karat.Stack.of(several)  # type: ignore[arg-type]


def test_cells_of_very_different_magnitude_do_not_overflow() -> None:
    for tiny in (1e-300, 5e-324):
        table = karat.Table.from_labels([1, 1, 2], [1, 2, 2], weights=[tiny, 1e18, 1])
        assert karat.v_measure(table) == pytest.approx(0, abs=1e-12)


def test_log_n_needs_more_than_one_item() -> None:
    for measure in (karat.vi_log_n, karat.q0_asymptotic):
        with pytest.raises(karat.TableError, match=r"cells that add up to 0\.3 are less than one item each"):
            measure([0, 0, 1], [0, 1, 1], weights=[0.1, 0.1, 0.1])


def test_ten_thousand_tables_are_scored_at_once() -> None:
    rng = np.random.default_rng(2)
    stack = karat.Stack(rng.integers(0, 9, (10_000, 4, 5)) + 1)
    assert karat.v_measure(stack).shape == karat.ari(stack).shape == karat.q2(stack).shape == (10_000,)
    assert karat.bcubed_f(stack)[4321] == pytest.approx(karat.bcubed_f(stack[4321]), abs=1e-14)


def test_a_stack_leaves_empty_classes_out_of_sums() -> None:
    stack = karat.Stack([[[2, 0], [1, 0]]])
    assert stack.cluster_total(lambda size, total: size**0.0).tolist() == [1]


@pytest.mark.parametrize(
    "matrix",
    [
        [[10**8, 1], [1, 1]],
        [[2**53, 1], [1, 1]],
        [[1e12, 0.001], [0.0003, 0.0002]],
        [[1e16, 0.5], [0.3, 0.2]],
        [[3e-200, 1e-200, 0], [1e-200, 5e-200, 2e-200]],
    ],
    ids=str,
)
def test_a_stack_is_as_exact_as_its_tables(matrix: Any) -> None:
    stack = karat.Stack([matrix, matrix])
    for measure in (karat.homogeneity, karat.van_dongen_normalised, karat.mirkin_normalised, karat.bcubed_f):
        assert measure(stack).tolist() == pytest.approx([measure(stack[0])] * 2, abs=1e-12), str(measure)
    if stack.n[0] > 1:
        assert karat.ari(stack).tolist() == pytest.approx([karat.ari(stack[0])] * 2, abs=1e-12)


def test_a_perfect_real_stack_is_perfect() -> None:
    stack = karat.Stack([np.diag([68.39999999999999, 21.3, 59.6, 54.5])])
    assert (karat.mirkin(stack)[0], karat.van_dongen(stack)[0], karat.purity(stack)[0]) == (0, 0, 1)


def test_what_a_stack_does_not_have_is_said() -> None:
    stack = karat.Stack([[[1, 2]]])
    for place in (5, "a", None, 0.7):
        with pytest.raises(karat.TableError, match="a stack of 1 tables has no table"):
            stack[place]  # type: ignore[index]
    with pytest.raises(karat.TableError, match=r"adds up to 2\^62"):
        karat.Stack([[[1e308, 1e308]]])
    with pytest.raises(karat.TableError, match="counts is None"):
        karat.Table.from_cells([0], [0], None)
    with pytest.raises(karat.MeasureError, match="ari is of a Table or a Stack, not of 3"):
        karat.ari.of(3)  # type: ignore[arg-type]


def test_totals_in_a_formula_broadcast_with_its_other_arguments() -> None:
    matrices = [[[2, 1, 0], [0, 3, 4]], [[5, 0, 0], [0, 1, 0]]]
    tables = [karat.Table.from_matrix(matrix) for matrix in matrices]
    rows, cols = np.divmod(np.arange(6), 3)
    many = [karat.Stack(matrices), Resampled(rows, cols, np.array(matrices, dtype=float).reshape(2, 6))]

    def lift(h: Any, a: Any, b: Any, total: Totals) -> Any:
        return total.clusters * h * total.n / (a * b) - total.classes

    def share(size: Any, total: Totals) -> Any:
        return size / total.n * total.classes + total.clusters

    # by hand: cells 2 1 3 4 of 10, classes 3 7, clusters 2 4 4; then 5 and 1 of 6, alone in their class and cluster
    lifts = [3 * (20 / 6 + 10 / 12 + 30 / 28 + 40 / 28) - 8, 2 * (6 / 5 + 6) - 4]
    best_lifts = [3 * (20 / 6 + 40 / 28) - 4, 2 * (6 / 5 + 6) - 4]
    shares = [2 + 2 * 3, 2 + 2 * 2]
    for counts in many:
        assert counts.cell_total(lift) == pytest.approx(lifts)
        assert counts.class_best(lift) == pytest.approx(best_lifts)
        assert counts.class_total(share) == pytest.approx(shares)
    for table, total, best, sizes in zip(tables, lifts, best_lifts, shares, strict=True):
        assert float(table.cell_total(lift)) == pytest.approx(total)
        assert float(table.class_best(lift)) == pytest.approx(best)
        assert table.class_total(share) == pytest.approx(sizes)
    assert OneCluster(tables[0].profile).cell_total(lift) == pytest.approx(1 * (1 + 1) - 2 * 2)  # h n / (a n) is 1
    assert Singletons(tables[0].profile).cell_total(lift) == pytest.approx(10 * 10 * 2 - 2 * 10)


def test_a_batch_of_which_every_item_is_dropped_counts_as_dropped() -> None:
    batches = [([None, None], [1, 2]), (["a", "b", "a"], [1, 2, None]), (["a"], [None])]
    table = karat.Table.from_batches(batches, missing="drop")
    whole = karat.Table.from_labels([None, None, "a", "b", "a", "a"], [1, 2, 1, 2, None, None], missing="drop")
    assert table == whole
    assert table.policy == whole.policy
    with pytest.raises(karat.LabelError, match="no item is left to score"):
        karat.Table.from_batches(batches[:1], missing="drop")


def test_a_dropped_batch_is_not_added_to_a_table_of_another_policy() -> None:
    batches = [karat.Table.from_labels(["a"], [1]), ([None], [1])]
    with pytest.raises(karat.TableError, match="counted under different policies"):
        karat.Table.from_batches(batches, missing="drop")
