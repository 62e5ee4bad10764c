"""Labels as other libraries hold them; run with -m integrations."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat

pytestmark = [pytest.mark.integrations, pytest.mark.filterwarnings("ignore")]

RNG = np.random.default_rng(5)
GOLD = RNG.integers(0, 4, 60)
PRED = np.where(RNG.random(60) < 0.3, RNG.integers(0, 6, 60), GOLD)


@pytest.fixture
def graph() -> Any:
    """Two cliques of five and a bridge."""
    import networkx as nx

    return nx.barbell_graph(5, 1)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "bool"])
def test_tensors_of_pytorch_are_labels_whatever_their_type(dtype: str) -> None:
    import torch

    gold, pred = (torch.tensor(labels).to(getattr(torch, dtype)) for labels in (GOLD % 2, PRED % 2))
    assert karat.v_measure(gold, pred) == karat.v_measure(GOLD % 2, PRED % 2)


def test_views_of_tensors_are_read_as_they_look() -> None:
    import torch

    pairs = torch.tensor(np.stack([GOLD, PRED], axis=1))
    assert karat.ari(pairs[:, 0], pairs[:, 1]) == karat.ari(GOLD, PRED)
    assert karat.ari(pairs[::2, 0], pairs[::2, 1]) == karat.ari(GOLD[::2], PRED[::2])
    assert karat.ari(pairs, pairs) == 1  # a label image
    with pytest.raises(karat.KaratError, match="shape"):
        karat.ari(pairs, pairs.T)


@pytest.mark.parametrize("door", [list, tuple, lambda tensors: np.array(list(tensors), dtype=object)])
def test_scalar_tensors_are_the_numbers_they_hold(door: Any) -> None:
    import torch

    gold, pred = (door([t.clone() for t in torch.tensor(labels)]) for labels in (GOLD, PRED))
    expected = karat.v_measure(GOLD, PRED)
    assert karat.v_measure(gold, pred) == expected
    assert karat.v_measure(GOLD, pred) == karat.v_measure(gold, PRED) == expected
    assert karat.sklearn.v_measure_score(gold, pred) == expected
    assert karat.compare(gold, {"a": pred, "b": gold}, ["v_measure"])["a"]["v_measure"] == expected
    assert karat.encode(pred).names == sorted(set(PRED.tolist()))
    assert karat.v_measure(list(zip(gold, gold, strict=True)), list(zip(pred, pred, strict=True))) == expected


def test_scalar_tensors_are_values_of_dicts_items_noise_and_members() -> None:
    import torch

    items = [torch.tensor(i) for i in range(4)]
    gold = dict(zip(range(4), torch.tensor([1, 1, 2, 2]), strict=True))
    assert karat.ari(gold, {0: "a", 1: "a", 2: "b", 3: "b"}) == 1
    assert karat.ari(dict(zip(items, "aabb", strict=True)), {3: 0, 2: 0, 1: 1, 0: 1}) == 1
    assert karat.ari([{items[0], items[1]}, {items[2], items[3]}], {0: 0, 1: 0, 2: 1, 3: 1}) == 1
    noise = {"noise": torch.tensor(-1), "noise_as": "drop"}
    assert karat.score([0, 0, 1, 1], [5, 5, 6, -1], ["ari"], **noise).n == 3
    import jax.numpy as jax

    assert karat.ari([jax.asarray(1), jax.asarray(1), jax.asarray(2)], ["a", "a", "b"]) == 1


def test_tensors_that_are_trained_or_short_are_read_and_batches_are_refused() -> None:
    import torch

    trained = torch.tensor([1.0, 1.0, 2.0], requires_grad=True)
    assert karat.ari(trained, ["a", "a", "b"]) == karat.ari(list(trained), ["a", "a", "b"]) == 1
    assert trained.grad_fn is None
    computed = trained * 2
    assert karat.encode(computed).names == [2.0, 4.0]
    assert computed.requires_grad
    short = torch.tensor([0.5, 0.5, 3.0], dtype=torch.bfloat16)
    assert karat.encode(short).names == karat.encode(list(short)).names == [0.5, 3.0]
    batches = [torch.tensor([1, 2]), torch.tensor([3])]
    with pytest.raises(karat.LabelError, match=r"shape \(2,\) at position 0, .* with torch.cat first"):
        karat.ari([1, 2], batches)
    with pytest.raises(karat.LabelError, match=r"Tensor that cannot be read .*; give its values as a list"):
        karat.ari([1, 2], torch.empty(2, device="meta"))
    with pytest.raises(karat.LabelError, match=r"Tensor .* at position 0, which cannot be read"):
        karat.ari([1, 2], list(torch.empty(2, device="meta")))


def test_weights_and_tables_may_be_tensors_too() -> None:
    import torch

    weights = torch.tensor([1.0, 2.0, 1.0, 0.5], requires_grad=True)
    gold, pred = [0, 0, 1, 1], [0, 1, 1, 1]
    expected = karat.vi(gold, pred, weights=[1, 2, 1, 0.5])
    for given in (weights, list(weights), weights.detach().to(torch.bfloat16), [w.item() for w in weights]):
        assert karat.vi(gold, pred, weights=given) == expected
    cells = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    for matrix in (cells, list(cells), cells.detach().to(torch.bfloat16)):
        assert karat.Table.from_matrix(matrix) == karat.Table.from_matrix([[1, 2], [3, 4]])
    assert karat.Table.from_cells([0, 1], [0, 1], weights[:2]).n == 3
    assert karat.Table.from_matrix([[1, 2]], [torch.tensor(5)], list(torch.tensor([7, 8]))).clusters == (7, 8)
    assert karat.Stack(torch.ones(2, 2, 2, requires_grad=True)).n.tolist() == [4, 4]


def test_arrays_of_jax_are_labels() -> None:
    import jax.numpy as jnp

    assert karat.ami(jnp.asarray(GOLD), jnp.asarray(PRED)) == karat.ami(GOLD, PRED)


def test_observations_of_anndata_are_columns_and_files(tmp_path: Path) -> None:
    import anndata
    import pandas as pd

    names = [f"cell {i}" for i in range(60)]
    obs = pd.DataFrame({"cell_type": pd.Categorical([f"type {g}" for g in GOLD]), "leiden": PRED.astype(str)}, names)
    data = anndata.AnnData(np.zeros((60, 2)), obs=obs)
    expected = karat.score(GOLD, PRED, ["ami", "ari"])
    assert dict(karat.score(data.obs["cell_type"], data.obs["leiden"], ["ami", "ari"])) == dict(expected)
    data.write_h5ad(tmp_path / "cells.h5ad")
    (table,) = karat.read(tmp_path / "cells.h5ad", gold="cell_type", pred="leiden").tables.values()
    assert dict(karat.score(table, measures=["ami", "ari"])) == dict(expected)


def test_communities_of_networkx_are_sets_of_nodes(graph: Any) -> None:
    import networkx as nx

    found = nx.community.louvain_communities(graph, seed=1)
    gold = {node: node // 6 for node in graph}
    labels = {node: place for place, community in enumerate(found) for node in community}
    assert karat.nmi(gold, found) == karat.nmi([gold[n] for n in graph], [labels[n] for n in graph])


def test_clusterings_of_igraph_agree_with_its_own_measures() -> None:
    import igraph

    for method, ours in (("vi", "vi"), ("nmi", "nmi"), ("rand", "rand"), ("adjusted_rand", "ari")):
        theirs = igraph.compare_communities(GOLD.tolist(), PRED.tolist(), method=method)
        assert karat.parse(ours)(GOLD, PRED) == pytest.approx(theirs, abs=1e-12)
    made = igraph.Graph.Full(5) + igraph.Graph.Full(5)
    made.add_edge(0, 5)
    found = made.community_multilevel()
    assert karat.ari([0] * 5 + [1] * 5, found.membership) == 1
    assert karat.ari({v: v // 5 for v in range(10)}, [set(members) for members in found]) == 1


def test_clusterings_of_cdlib_agree_with_its_own_measures(graph: Any) -> None:
    from cdlib import NodeClustering, evaluation

    nodes = list(graph)
    sides = []
    for labels in ([n // 6 for n in nodes], [n // 4 for n in nodes]):
        members = [[n for n, label in zip(nodes, labels, strict=True) if label == found] for found in set(labels)]
        sides.append((labels, NodeClustering(members, graph, "made")))
    (gold, first), (pred, second) = sides
    assert karat.ari(gold, pred) == pytest.approx(evaluation.adjusted_rand_index(first, second).score, abs=1e-12)
    theirs = evaluation.variation_of_information(first, second).score  # in bits
    assert karat.vi(gold, pred) / math.log(2) == pytest.approx(theirs, abs=1e-12)
    by_sets = [[set(members) for members in side.communities] for side in (first, second)]
    assert karat.ari(*by_sets) == karat.ari(gold, pred)
