"""Measures as values: text, parameters, users' own measures, wrapped functions."""

from __future__ import annotations

import functools
import inspect
import pickle
import pydoc
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn.metrics

import karat
import karat.measures
from karat.measures.arithmetic import ratio
from karat.measures.cards import card
from karat.measures.pair_counts import Pairs
from karat.tables.counts import Counts, Statistic


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("ari", "ari"),
        ("v_measure(beta=1)", "v_measure"),
        ("v_measure(beta=2.0)", "v_measure(beta=2)"),
        (" nmi ( norm = max ) ", "nmi(norm=max)"),
        ("vi_log_k(k=None)", "vi_log_k"),
        ("v_measure()", "v_measure"),
        ("pair_f(beta=0.5)", "pair_f(beta=0.5)"),
    ],
)
def test_text_is_read_and_printed(text: str, printed: str) -> None:
    assert str(karat.parse(text)) == printed


def test_parameters_can_be_set_or_given_with_the_labels() -> None:
    gold, pred = [0, 0, 1, 1], [0, 0, 1, 2]
    assert (
        karat.v_measure(gold, pred, beta=2)
        == karat.v_measure(beta=2)(gold, pred)
        == karat.parse("v_measure(beta=2)")(gold, pred)
    )
    assert karat.v_measure(beta=2)(beta=3) == karat.v_measure(beta=3)
    assert karat.v_measure(beta=2) != karat.v_measure
    assert karat.v_measure != "v_measure"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("v_mesure", "there is no measure 'v_mesure'; did you mean v_measure?"),
        ("zzz", "there is no measure 'zzz'; karat.list_measures() and karat measures list them all."),
        ("v_measure(bta=2)", "v_measure has no parameter 'bta'; did you mean beta?"),
        ("ari(beta=2)", "ari has no parameter 'beta'; it has none."),
        ("v_measure(beta=-1)", "v_measure cannot have beta=-1; give a number from 0 to 1e+100."),
        ("v_measure(beta=nan)", "v_measure cannot have beta=nan; give a number from 0 to 1e+100."),
        ("v_measure(beta=much)", "v_measure cannot have beta='much'; give a number from 0 to 1e+100."),
        ("nmi(norm=geometric)", "nmi cannot have norm='geometric'; use one of 'min', 'sqrt', 'sum', 'max', 'joint'."),
        ("v_measure(beta)", "in 'v_measure(beta)', 'beta' is no parameter; write name=value."),
        ("v_measure(,)", "in 'v_measure(,)', '' is no parameter; write name=value."),
        ("v_measure(beta=2,beta=3)", "'v_measure(beta=2,beta=3)' gives beta twice; give it once."),
        ("vi_log_k(k=1.5)", "vi_log_k cannot have k=1.5; give a whole number from 0 to 1e+100."),
        ("v_measure(beta=1e200)", "v_measure cannot have beta=1e+200; give a number from 0 to 1e+100."),
        ("sklearn.metrics:rand_score(x=1)", "sklearn.metrics:rand_score has no parameter 'x'; it has none."),
        ("math:pi", "3.14159"),
        ("v_measure(", "'v_measure(' does not name a measure"),
        ("", "'' does not name a measure"),
        ("no_such_module_x:f", "'no_such_module_x:f' cannot be imported"),
        ("math:no_such", "'math:no_such' cannot be imported"),
    ],
)
def test_a_measure_that_cannot_be_is_explained(text: str, message: str) -> None:
    with pytest.raises(karat.MeasureError) as caught:
        karat.parse(text)
    assert str(caught.value).startswith(message)


def test_calling_a_measure_wrongly_is_explained() -> None:
    with pytest.raises(karat.MeasureError, match="ari takes gold and pred, or one Table"):
        karat.ari([0, 1])
    with pytest.raises(karat.MeasureError, match="v_measure has no parameter 'betta'; did you mean beta"):
        karat.v_measure(betta=2)
    table = karat.Table.from_matrix([[2, 1], [0, 3]])
    for sources in ((table,), (karat.Stack([[[2, 1]]]),), ([0, 1], [0, 1]), ()):
        with pytest.raises(karat.MeasureError, match="v_measure has no parameter 'bta'; did you mean beta"):
            karat.v_measure(*sources, bta=2)
    with pytest.raises(karat.MeasureError, match="ari has no parameter 'weights'"):
        karat.ari(table, weights=[1, 1])
    with pytest.raises(karat.MeasureError, match="ari takes gold and pred, or one Table"):
        karat.ari([0], [0], [1], [1])
    with pytest.raises(karat.MeasureError, match="5 does not name a measure"):
        karat.parse(5)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Hits(Statistic):
    """Items in cells of more than one item."""

    items: Any
    n: Any

    @classmethod
    def of(cls, counts: Counts) -> Hits:
        return cls(counts.cell_total(lambda h, a, b, total: h * (h > 1)), counts.n)


def test_a_user_declares_a_measure_like_any_other() -> None:
    @karat.measure(title="Company", better="higher", perfect=None)
    def company(hits: Hits, *, share: float = 1) -> Any:
        """The share of items that are together with another one of their class."""
        return share * ratio(hits.items, hits.n, empty=0)

    assert karat.score([0, 0, 1], [0, 0, 0], "company(share=0.5)")["company(share=0.5)"] == pytest.approx(1 / 3)
    assert company(karat.Stack([[[2, 1]], [[1, 1]]])).tolist() == pytest.approx([2 / 3, 0])
    assert company in karat.list_measures()
    assert karat.company is company


def test_a_name_is_taken_once() -> None:
    with pytest.raises(
        karat.MeasureError, match=r"there is a measure 'ari' in karat\.measures\.pairs; choose another name"
    ):

        @karat.measure(title="Mine", better="higher")
        def ari(hits: Hits) -> Any:
            """Another."""


def test_a_plain_function_becomes_a_measure() -> None:
    theirs = karat.wrap(sklearn.metrics.rand_score)
    gold, pred = ["a", "a", "b", "b"], [1, 1, 1, 2]
    assert theirs(gold, pred) == pytest.approx(karat.rand(gold, pred))
    assert karat.parse(str(theirs)) == theirs == pickle.loads(pickle.dumps(theirs))
    scores = karat.score(gold, pred, ["rand", sklearn.metrics.rand_score, "sklearn.metrics:fowlkes_mallows_score"])
    assert scores["sklearn.metrics:fowlkes_mallows_score"] == pytest.approx(karat.fowlkes_mallows(gold, pred))
    stack = karat.Stack([[[2, 0], [0, 2]], [[1, 1], [1, 1]]])
    assert theirs(stack).tolist() == pytest.approx(karat.rand(stack).tolist())


def test_a_nameless_function_needs_a_name() -> None:
    with pytest.raises(karat.MeasureError, match="has no name to find it by; give it one"):
        karat.wrap(lambda gold, pred: 0)
    assert str(karat.wrap(lambda gold, pred: 0, name="mine")) == "mine"


def test_a_wrapped_function_needs_whole_counts() -> None:
    with pytest.raises(karat.TableError, match="a list of items needs integer counts"):
        karat.wrap(sklearn.metrics.rand_score)(karat.Table.from_matrix([[1.5, 2.5]]))


@pytest.mark.parametrize(
    "value", ["0.5", None, 1j, float("nan"), np.array(["x"]), [0.5], np.array([0.5, 0.5]), 10**400]
)
def test_a_formula_that_gives_no_number_is_told_in_one_sentence(value: object) -> None:
    def formula() -> object:
        """Nothing."""
        return value

    odd = karat.Measure("odd", formula, (), title="Odd", better="higher")
    with pytest.raises(karat.MeasureError, match=r"^odd returned .*, which is no number; return one\.$"):
        odd.of(karat.Table.from_matrix([[1, 2]]))


def test_what_cannot_be_wrapped_is_explained() -> None:
    for thing in (None, 3, karat.ari):
        with pytest.raises(karat.MeasureError, match="is not a plain function of"):
            karat.wrap(thing)  # type: ignore[arg-type]
    with pytest.raises(karat.MeasureError, match="has no name to find it by; give it one"):
        karat.wrap(functools.partial(sklearn.metrics.rand_score))
    with pytest.raises(karat.MeasureError, match="there is a measure 'ari' already"):
        karat.wrap(sklearn.metrics.rand_score, name="ari")
    with pytest.raises(karat.MeasureError, match="mine returned None, which is no finite number"):
        karat.wrap(lambda gold, pred: None, name="mine")([0, 1], [0, 1])
    for name in (3, "", []):
        with pytest.raises(karat.MeasureError, match="cannot be the name of a measure"):
            karat.wrap(max, name=name)  # type: ignore[arg-type]
    for bounds in (3, (1, 0), ("a", "b"), (0, 1, 2)):
        with pytest.raises(karat.MeasureError, match="cannot have bounds="):
            karat.wrap(max, bounds=bounds)  # type: ignore[arg-type]
    assert karat.v_measure(beta=1e-100)(beta=1e-99).swapped is not None
    assert karat.parse("v_measure(beta=1e-200)").swapped is None
    with pytest.raises(karat.MeasureError, match="mine cannot have better='up'; use one of 'higher', 'lower', None"):
        karat.wrap(sklearn.metrics.rand_score, name="mine", better="up")  # type: ignore[arg-type]


def test_two_measures_of_one_name_are_refused() -> None:
    one, two = (karat.wrap(lambda gold, pred, x=x: x, name="z") for x in (1.0, 2.0))
    assert one != two
    with pytest.raises(karat.MeasureError, match="two different measures are called 'z'"):
        karat.score([0, 1], [0, 1], [one, two])
    with pytest.raises(karat.MeasureError, match="measures is 3; give names of measures"):
        karat.score([0, 1], [0, 1], 3)  # type: ignore[arg-type]


@pytest.mark.parametrize("redeclared", [False, True])
def test_a_redeclared_measure_is_judged_anew(redeclared: bool) -> None:
    @karat.measure(title="MergeClusters", better="higher")
    def joined(pairs: Pairs) -> Any:
        """The share of pairs joined by both."""
        return ratio(pairs.both, pairs.total, empty=0) ** (2 if redeclared else 1)

    shuffled = karat.score([0, 0, 1, 1], [0, 0, 1, 2], "joined").baselines["joined"].shuffled
    assert (shuffled is None) == redeclared


def test_a_declaration_must_say_what_its_parameters_are() -> None:
    with pytest.raises(karat.MeasureError, match="bad has the parameter 'x', which is neither annotated"):

        @karat.measure(title="Bad", better="higher")
        def bad(x: int) -> Any:
            """Nothing."""


def test_text_and_truth_can_be_parameters() -> None:
    @karat.measure(title="Odd", better="higher", bounds=(0, 10))
    def odd(hits: Hits, *, how: str = "a", loud: bool = False) -> Any:
        """Nothing in particular."""
        return len(how) + loud

    assert odd([0], [0], how="abc", loud=True) == 4
    assert karat.parse(str(odd(how="1", loud=True))) == odd(how="1", loud=True)


def test_a_wrapped_function_keeps_its_promises_when_pickled() -> None:
    theirs = karat.wrap(sklearn.metrics.rand_score, name="mine", better="lower")
    back = pickle.loads(pickle.dumps(theirs))
    assert (back, back.name, back.better) == (theirs, "mine", "lower")
    assert karat.parse("sklearn.metrics:rand_score") == karat.wrap(sklearn.metrics.rand_score)


def test_parameters_cannot_be_changed_behind_a_measures_back() -> None:
    with pytest.raises(TypeError):
        karat.v_measure.params["beta"] = 7  # type: ignore[index]


def test_help_is_about_the_measure() -> None:
    text = pydoc.render_doc(karat.v_measure, renderer=pydoc.plaintext)
    assert (
        "v_measure(gold, pred, *, beta=1, weights=None, missing='raise', noise=None, noise_as=None, ignore=None)"
        in text
    )
    assert "The harmonic mean of homogeneity and completeness" in text
    assert "V-measure: higher is better, from 0 to 1. rosenberg2007, section 2" in text
    assert karat.v_measure.__name__ == "v_measure"
    names = ["gold", "pred", "weights", "missing", "noise", "noise_as", "ignore"]
    assert list(inspect.signature(karat.ari).parameters) == names


ENTRY = """
    @article{somebody2001,
      author = {Somebody, A. and Other, B. C.},
      title = {A {V}ery good measure},
      journal = {Journal of Measures},
      volume = {3},
      pages = {1--9},
      year = {2001}
    }
"""


def test_a_paper_can_be_declared_with_its_measure() -> None:
    @karat.measure(title="Cited", better="higher", paper=ENTRY, equation="eq. 2")
    def cited(hits: Hits, *, share: float = 1) -> Any:
        """Nothing in particular."""
        return 0.0

    line = "Somebody & Other (2001). A Very good measure. Journal of Measures 3, 1–9."
    for measure in (cited, cited(share=0.5)):
        assert (measure.paper, measure.reference) == ("somebody2001", line)
    assert "somebody2001, eq. 2" in (cited.__doc__ or "")
    assert f"{line[:-1]}, eq. 2" in " ".join(card(cited, 200).split())


@pytest.mark.parametrize(
    ("promise", "message"),
    [
        ({"paper": "@article{x}"}, "odd cannot have paper='@article{x}'; give a key of references.bib, or a BibTeX"),
        ({"breaks": ("nothing",)}, "odd cannot have breaks=('nothing',); give a tuple of some of 'homogeneity'"),
        ({"breaks": "rag_bag"}, "odd cannot have breaks='rag_bag'; give a tuple of some of"),
        ({"family": ""}, "odd cannot have family=''; give a word under which to list it."),
    ],
)
def test_a_promise_that_cannot_be_is_refused(promise: dict[str, Any], message: str) -> None:
    with pytest.raises(karat.MeasureError) as caught:

        @karat.measure(title="Odd", better="higher", **promise)
        def odd(hits: Hits) -> Any:
            """Nothing in particular."""

    assert str(caught.value).startswith(message)


def test_a_file_of_measures_is_found_by_itself() -> None:
    files = {path.stem for path in Path(karat.measures.__file__).parent.glob("*.py")} - {"__init__"}
    loaded = "import karat, sys; karat.ari; print(*(m for m in sys.modules if m.startswith('karat.measures.')))"
    run = subprocess.run([sys.executable, "-c", loaded], check=True, capture_output=True, text=True)
    assert {name.removeprefix("karat.measures.") for name in run.stdout.split()} == files
