"""Methods of intervals: each is declared once, and everything that names them follows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import karat
from karat import cli
from karat.uncertainty import methods
from karat.uncertainty.interval import Interval, Reason
from karat.uncertainty.methods import method_names
from karat.uncertainty.registry import Need, find_method, interval_method, list_methods
from karat.uncertainty.sample import Sample
from karat.uncertainty.sampling import OPTIONS, Sampling, SamplingOptions
from shared import ROOT

TABLE = karat.Table.from_matrix([[30, 4, 1, 0], [3, 25, 2, 6], [1, 0, 18, 2]])


def test_every_file_declares_the_method_of_its_name() -> None:
    stems = {path.stem for path in Path(methods.__path__[0]).glob("*.py")} - {"__init__"}
    assert {"jackknife", "bootstrap"} <= stems
    assert stems == {method.name for method in list_methods()} == set(method_names()) - {"auto"}
    assert all(method.summary.endswith(".") for method in list_methods())


def test_the_method_asked_for_gives_the_interval() -> None:
    for measure in ("ari", "purity"):
        for name in ("jackknife", "bootstrap"):
            interval = karat.score(TABLE, measures=measure, interval=True, method=name).interval(measure)
            assert interval.method == name
            assert interval.low < interval.estimate < interval.high  # type: ignore[operator]
    assert karat.score(TABLE, measures="ari", interval=True).interval("ari").method == "jackknife"
    assert karat.score(TABLE, measures="purity", interval=True).interval("purity").method == "bootstrap"


def test_the_jackknife_of_largest_cells_has_a_caution() -> None:
    caution = karat.score(TABLE, measures="purity", interval=True, method="jackknife").interval("purity").caution
    assert caution is not None
    assert caution.reason is Reason.NOT_SMOOTH


def test_a_measure_for_which_the_method_cannot_be_computed_has_no_interval() -> None:
    share = karat.wrap(lambda gold, pred: len(set(pred)) / len(pred), name="share")
    scores = karat.score([0, 0, 1, 1], [0, 1, 1, 1], [share], interval=True, method="jackknife")
    interval = scores.interval(share)
    assert (interval.low, interval.high, interval.method) == (None, None, "none")
    assert interval.caution is not None
    assert interval.caution.reason is Reason.NOT_APPLICABLE
    assert "jackknife cannot be computed for this measure" in str(scores)


def test_an_unknown_method_is_refused_with_those_there_are() -> None:
    with pytest.raises(karat.MeasureError, match="method='magic' is not a method of intervals; use 'auto', "):
        karat.score(TABLE, interval=True, method="magic")


@pytest.mark.parametrize("name", ["auto", "none"])
def test_words_with_a_meaning_are_no_names_of_methods(name: str) -> None:
    def function(sample: Sample, measure: karat.Measure) -> None:
        """Nothing."""

    function.__name__ = name
    with pytest.raises(ValueError, match="it is reserved"):
        interval_method()(function)


def test_a_new_method_is_named_wherever_methods_are(capsys: pytest.CaptureFixture[str]) -> None:
    @interval_method(needs=[Need.RESAMPLES])
    def reflected(sample: Sample, measure: karat.Measure) -> Interval | None:
        """Quantiles of the resampled scores, reflected at the score."""
        values, score = sample.resampled(measure), sample.score(measure)
        low, high = np.quantile(values, [0.025, 0.975])
        return sample.between(measure, 2 * score - high, 2 * score - low, score, float(values.std(ddof=1)))

    scores = karat.score(TABLE, measures=["ari", "purity"], interval=True, method="reflected", resamples=200, seed=7)
    assert {interval.method for interval in scores.intervals.values()} == {"reflected"}
    assert scores.signature.endswith("|interval:0.95(reflected,items,resamples=200,seed=7)")
    assert "bias-corrected" not in str(scores)  # a method says itself whether it is centred on such an estimate
    assert "reflected" in method_names()
    with pytest.raises(SystemExit):
        cli.main(["score", "--help"])
    choices = ",".join(method_names())
    assert f"--method {{{choices}}}" in " ".join(capsys.readouterr().out.split())


def test_help_has_the_summary_of_every_method() -> None:
    help_text = " ".join((karat.score.__doc__ or "").split())
    page = (ROOT / "docs" / "comparing.md").read_text(encoding="utf-8")
    assert "<!-- methods -->" in page  # where docs/hooks.py lists them
    for method in list_methods():
        assert method.summary[1:].rstrip(".") in help_text


def test_every_option_of_intervals_is_declared() -> None:
    names = [option.name for option in OPTIONS]
    assert set(names) == set(SamplingOptions.__annotations__)
    assert ["level", *names] == list(Sampling._fields)


def test_the_draws_of_a_method_are_in_the_signature() -> None:
    def signature(name: str) -> str:
        return karat.score(TABLE, measures="ari", interval=True, method=name, seed=5).signature

    assert signature("bootstrap").endswith("(bootstrap,items,resamples=1000,seed=5)")
    assert signature("jackknife").endswith("(jackknife,items)")
    assert find_method("magic") is None


def test_too_many_cells_leave_a_method_that_draws_without_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.uncertainty.validity.AFFORDABLE", 100)
    intervals = {
        name: karat.score(TABLE, measures="purity", interval=True, method=name).interval("purity")
        for name in ("auto", "jackknife", "bootstrap")
    }
    assert {name: interval.method for name, interval in intervals.items()} == {
        "auto": "jackknife", "jackknife": "jackknife", "bootstrap": "none",
    }  # fmt: skip
    assert all(i.caution is not None and i.caution.reason is Reason.TOO_MANY_CELLS for i in intervals.values())
