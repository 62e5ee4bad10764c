"""Texts of measures: read, or refused at once and briefly, at every door; and functions that misbehave."""

from __future__ import annotations

import random
import string
import time
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import karat
from karat.cli import main
from karat.measures.syntax import split_at_commas
from shared import enough

LONG = 300  # characters of a message
NAMES = [m.name for m in karat.list_measures()]
ALPHABET = string.ascii_letters + string.digits + "_(),=.: '\"\\\t\n-+*/[]{}<>|$%é日\x00\ud800\u202e"


def text_of_a_measure(draw: random.Random, depth: int = 0) -> str:
    """A text by the grammar: a measure, perhaps with parameters, perhaps derived from another."""
    spaces = " " * draw.choice([0, 0, 0, 1, 3])
    kind = draw.random()
    if kind < 0.3 and depth < 3:
        options = draw.choice(["", ", samples=7", ", null=all, seed=3", ",sides=2", ", samples=x", ", nonsense=1"])
        return f"{draw.choice(['adjusted', 'standardized'])}({spaces}{text_of_a_measure(draw, depth + 1)}{options})"
    if kind < 0.6:
        value = draw.choice(["2", "0", "0.5", "1e3", "-1", "nan", "max", "x", "9" * draw.randrange(1, 40), ""])
        name, key = draw.choice(["v_measure", "pair_f", "nmi", "bcubed_f"]), draw.choice(["beta", "norm"])
        return f"{name}({key}={spaces}{value})"
    return spaces + draw.choice(NAMES)


def mutated(draw: random.Random, text: str) -> str:
    """The text with some characters left out, doubled, many times over, or replaced."""
    letters = list(text)
    for _ in range(draw.choice([1, 1, 2, 5])):
        place = draw.randrange(len(letters) + 1)
        letters[place : place + draw.randrange(3)] = draw.choice(ALPHABET) * draw.choice([0, 1, 1, 2, 500, 20_000])
    return "".join(letters)


def parsed(text: str) -> karat.Measure | None:
    """The measure, or None if the text is refused, which must be in a short sentence."""
    told = ""
    try:
        return karat.parse(text)
    except karat.MeasureError as problem:
        told = str(problem)
    assert len(told) < LONG, text[:200]
    assert "\n" not in told, text[:200]
    return None


def test_any_text_is_a_measure_that_prints_as_it_is_read_or_is_refused_briefly() -> None:
    draw = random.Random(28)
    read = 0
    for _ in range(enough(8000)):
        text = text_of_a_measure(draw)
        text = text if draw.random() < 0.3 else mutated(draw, text)
        if ":" in text:  # which would import a module
            continue
        measure = parsed(text)
        if measure is not None:
            read += 1
            assert karat.parse(str(measure)) == measure
    assert read > enough(8000) / 10


def test_noise_is_refused_too() -> None:
    draw = random.Random(29)
    for _ in range(enough(8000)):
        text = "".join(draw.choices(ALPHABET.replace(":", ""), k=draw.randrange(30)))
        parsed(text)


HOSTILE = {
    name: text
    for name, letter in {
        "spaces": " ", "brackets": "(", "closing brackets": ")", "commas": ",", "quotes": "'", "double quotes": '"',
        "backslashes": "\\", "digits": "1", "letters": "a", "dots": "a.", "Python files": ".py", "accents": "é",
        "ideographs": "日", "halves of pairs": "\ud800", "equals": "=", "tabs": "\t",
    }.items()
    for name, text in ((f"100,000 {name}", letter * 100_000), (f"1,900 {name}", letter * (1900 // len(letter))))
}  # fmt: skip
HOSTILE |= {
    f"{name} in a parameter": f"v_measure(beta={text})" for name, text in HOSTILE.items() if name.startswith("1,900")
}
HOSTILE |= {f"{name} in a measure": f"adjusted({text})" for name, text in HOSTILE.items() if name.startswith("1,900 ")}
HOSTILE["a long module"] = "nosuch" * 300 + ":f"
HOSTILE["a long function"] = "os:" + "f" * 1900
HOSTILE["a long file"] = "./" + "a" * 1800 + ".py:f"
TABLE = karat.Table.from_labels([0, 0, 1], [0, 1, 1])
DOORS: dict[str, Callable[[str], Any]] = {
    "parse": karat.parse,
    "score": lambda text: karat.score(TABLE, measures=text),
    "a list": lambda text: karat.score(TABLE, measures=[text]),
    "compare": lambda text: karat.compare([0, 1], {"a": [0, 1], "b": [0, 0]}, text),
    "explain": lambda text: karat.explain(TABLE, measure=text),
    "relate": lambda text: karat.relate(TABLE, measures=text),
    "adjusted": karat.adjusted,
    "standardized": karat.standardized,
    "p_value": lambda text: karat.p_value(TABLE, measure=text),
    "audit": lambda text: karat.audit(text, "symmetry"),
    "properties": lambda text: karat.audit("ari", text),
}


@pytest.mark.parametrize("door", DOORS)
def test_hostile_texts_are_refused_at_once_and_briefly_at_every_door(door: str) -> None:
    for name, text in HOSTILE.items():
        start = time.perf_counter()
        with pytest.raises(karat.KaratError) as told:
            DOORS[door](text)
        assert len(str(told.value)) < LONG, name
        assert "\n" not in str(told.value), name
        assert time.perf_counter() - start < 5, name  # which took minutes, where time grew with the square


def test_the_command_refuses_hostile_texts_briefly(capsys: pytest.CaptureFixture[str]) -> None:
    for text in HOSTILE.values():
        assert main(["measures", "--", text]) == (1 if ":" in text else 2)
        assert len(capsys.readouterr().err) < 2 * LONG  # with what a terminal would obey as escapes


def test_a_long_name_of_a_function_is_refused() -> None:
    with pytest.raises(karat.MeasureError, match="2,000 is the most"):
        karat.wrap(lambda gold, pred: 0.5, name="a" * 10**6)


def test_commas_are_found_in_one_pass() -> None:
    assert split_at_commas("a,b(c,d),,e(f(g,h),i)") == ["a", "b(c,d)", "", "e(f(g,h),i)"]
    assert split_at_commas("") == [""]
    assert len(split_at_commas("," * 10**6)) == 10**6 + 1


class Unseen:
    def __repr__(self) -> str:
        raise ValueError("no text")


class Unread(float):
    def __float__(self) -> float:
        raise RuntimeError("no number")


ODD: dict[str, Any] = {
    "text": "0.5", "bytes": b"1", "nothing": None, "nan": float("nan"), "infinity": float("inf"), "too much": 10**400,
    "far too much": 10**5000, "an array of one": np.array([0.5]), "an array": np.ones((2, 2)), "complex": 1j,
    "a list": [0.5], "no text": Unseen(), "no number": Unread(1), "a date": np.datetime64("2020"),
    "signalling": Decimal("sNaN"), "text of NumPy": np.array("0.5"), "complex of NumPy": np.complex128(1),
}  # fmt: skip
USERS: dict[str, Callable[[karat.Measure], Any]] = {
    "called": lambda m: m(TABLE),
    "score": lambda m: karat.score(TABLE, measures=[m]),
    "intervals": lambda m: karat.score(TABLE, measures=[m], interval=0.95, resamples=5),
    "compare": lambda m: karat.compare([0, 1, 1], {"a": [0, 1, 1], "b": [0, 0, 1]}, [m], resamples=5),
    "explain": lambda m: karat.explain(TABLE, measure=m),
    "relate": lambda m: karat.relate(TABLE, measures=[m, "ari", "nmi"], resamples=10),
    "adjusted": lambda m: karat.adjusted(m, samples=5)(TABLE),
    "p_value": lambda m: karat.p_value(TABLE, measure=m, samples=5),
    "report": lambda m: karat.report(TABLE, measures=[m]),
    "agreement": lambda m: karat.agreement({"a": [0, 1, 1], "b": [0, 0, 1]}, m),
}


@pytest.mark.parametrize("user", USERS)
def test_a_function_that_returns_no_number_is_told_in_one_sentence(user: str) -> None:
    for value in ODD.values():
        measure = karat.wrap(lambda gold, pred, value=value: value, name="odd")
        with pytest.raises(karat.MeasureError, match=r"^odd returned .*, which is no finite number; return one\.$"):
            USERS[user](measure)


@pytest.mark.parametrize(
    "problem", [ValueError("x\n" * 9 + "y" * 10**6), SystemExit(3), MemoryError(), StopIteration(4)]
)
def test_a_function_that_fails_or_leaves_is_told_in_one_sentence(problem: BaseException) -> None:
    def fails(gold: Any, pred: Any) -> float:
        raise problem

    for use in USERS.values():
        with pytest.raises(karat.MeasureError, match=rf"^odd failed \({type(problem).__name__}.*\); mend it") as told:
            use(karat.wrap(fails, name="odd"))
        assert len(str(told.value)) < LONG


def test_ctrl_c_in_a_function_is_ctrl_c() -> None:
    def pressed(gold: Any, pred: Any) -> float:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        karat.wrap(pressed, name="odd")(TABLE)


@pytest.mark.parametrize("value", [Fraction(1, 2), Decimal("0.5"), np.float32(0.5), np.array(0.5)])
def test_a_function_may_return_any_kind_of_number(value: Any) -> None:
    assert karat.wrap(lambda gold, pred: value, name="half")(TABLE) == 0.5
