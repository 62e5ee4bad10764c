"""Features of accented words, measured in sounds whose F0 and loudness are known."""

from __future__ import annotations

import sys
import wave
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from karat.errors import FileError, KaratError
from karat.papers.corpora.prosody import FEATURES, Measured, measure
from karat.papers.corpora.speech import Recording, Tone
from karat.papers.corpora.textgrids import Mark

RATE = 16000
Points = list[tuple[float, float]]  # time in seconds, and value


def line(points: Points, times: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.interp(times, *zip(*points, strict=True))


def tone(path: Path, f0: Points, loudness: Points, seconds: float) -> Path:
    """A voice of ten harmonics whose F0 and amplitude go through the points in straight lines."""
    times = np.arange(int(seconds * RATE)) / RATE
    phase = 2 * np.pi * np.cumsum(line(f0, times)) / RATE
    voice = sum(np.sin(k * phase) / k for k in range(1, 11)) * line(loudness, times)
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes((voice * 8000).astype("<i2").tobytes())
    return path


def spoken(wav: Path, *words: tuple[float, float, str], speaker: str = "ann") -> Recording:
    marks = tuple(Mark(start, end, "word") for start, end, _ in words)
    return Recording(
        speaker, wav.stem, wav, marks, tuple(Tone((start + end) / 2, label) for start, end, label in words)
    )


RISE_FALL: Points = [(0.2, 120), (0.6, 200), (1.0, 140)]
FLAT: Points = [(0, 110)]
LOUD_AT_4: Points = [(0.2, 0.3), (0.4, 1), (0.6, 0.3)]
EVEN: Points = [(0, 1)]


@pytest.fixture
def pair(tmp_path: Path) -> list[Recording]:
    """A rise and fall, the loudest 0.2 s before its peak, and a level voice of the same speaker."""
    high = spoken(tone(tmp_path / "high.wav", RISE_FALL, LOUD_AT_4, 1.2), (0.2, 1.0, "H*"))
    low = spoken(tone(tmp_path / "low.wav", FLAT, LOUD_AT_4, 1.2), (0.2, 1.0, "L*"))
    return [high, low]


def row(measured: Measured, place: int = 0) -> dict[str, float]:
    return dict(zip(measured.names, measured.features[place], strict=True))


def test_raw_features_are_those_of_the_contour(pair: list[Recording]) -> None:
    found = row(measure(pair))
    assert found["mean F0"] == pytest.approx((160 + 170) / 2, rel=0.01)
    assert found["mean ΔF0"] == pytest.approx((140 - 120) / 0.8, rel=0.1)
    assert found["position of maximum"] == pytest.approx(0.5, abs=0.02)
    assert found["distance to loudest"] == pytest.approx(0.6 - 0.4, abs=0.03)
    assert found["slope to maximum"] == pytest.approx(80 / 0.4, rel=0.05)
    assert found["slope from maximum"] == pytest.approx(-60 / 0.4, rel=0.05)


def test_normalised_features_are_in_deviations_of_all_voice_of_the_speaker(pair: list[Recording]) -> None:
    found = row(measure(pair))
    times = np.arange(0.02, 1.18, 0.01)
    f0 = [line(points, times) for points in (RISE_FALL, FLAT)]
    delta = np.concatenate([np.diff(contour) / 0.01 for contour in f0])
    mean, deviation = np.mean(f0), np.std(f0)
    assert found["mean F0, normalised"] == pytest.approx((165 - mean) / deviation, rel=0.03)
    assert found["mean ΔF0, normalised"] == pytest.approx((25 - delta.mean()) / delta.std(), rel=0.15)
    assert found["slope to maximum, normalised"] == pytest.approx(200 / deviation, rel=0.05)
    assert found["slope from maximum, normalised"] == pytest.approx(-150 / deviation, rel=0.05)


def test_another_speaker_changes_only_what_is_normalised(pair: list[Recording]) -> None:
    together, apart = measure(pair), measure([pair[0], pair[1]._replace(speaker="bea")])
    differ = {name for name in FEATURES if row(together)[name] != row(apart)[name]}
    assert differ == {name for name in FEATURES if name.endswith("normalised")}
    assert row(apart, 1)["mean F0, normalised"] == pytest.approx(0, abs=0.5)  # the mean of that voice
    assert apart.ids == ["ann/high/1", "bea/low/1"]
    assert apart.labels == ["H*", "L*"]
    assert apart.features.shape == (2, 10)
    assert apart.remarks == []


def test_slopes_start_at_the_first_voiced_frame_and_end_at_the_last(tmp_path: Path) -> None:
    quiet: Points = [(0.3, 0), (0.31, 1), (0.89, 1), (0.9, 0)]
    heard = spoken(tone(tmp_path / "a.wav", [(0.3, 100), (0.6, 160), (0.9, 130)], quiet, 1.2), (0, 1.2, "L+H*"))
    other = spoken(tone(tmp_path / "b.wav", FLAT, EVEN, 0.5), (0, 0.5, "L*"))
    found = row(measure([heard, other]))
    assert found["slope to maximum"] == pytest.approx(200, rel=0.05)
    assert found["slope from maximum"] == pytest.approx(-100, rel=0.07)
    assert found["position of maximum"] == pytest.approx(0.5, abs=0.02)


def test_a_maximum_at_the_edge_has_a_slope_of_zero_on_that_side(tmp_path: Path) -> None:
    falling = spoken(tone(tmp_path / "a.wav", [(0, 220), (1, 120)], EVEN, 1.0), (0.2, 0.8, "H*"))
    rising = spoken(tone(tmp_path / "b.wav", [(0, 120), (1, 220)], EVEN, 1.0), (0.2, 0.8, "L*+H"))
    found = measure([falling, rising])
    down, up = row(found), row(found, 1)
    assert down["slope to maximum"] == up["slope from maximum"] == 0
    assert down["slope from maximum"] == pytest.approx(-100, rel=0.02)
    assert up["slope to maximum"] == pytest.approx(100, rel=0.02)
    assert down["position of maximum"] < 0.03
    assert up["position of maximum"] > 0.97


def test_words_without_voice_are_left_out_and_counted(tmp_path: Path, pair: list[Recording]) -> None:
    mute = spoken(tone(tmp_path / "mute.wav", FLAT, [(0, 0)], 1.0), (0.1, 0.5, "H*"), (0.5, 0.9, "*?"))
    short = pair[1]._replace(stem="short", words=(Mark(0.5, 0.52, "a"),), tones=(Tone(0.51, "H*"),))
    calls: list[int] = []
    found = measure([*pair, mute, short], progress=lambda: calls.append(1))
    assert found.ids == ["ann/high/1", "ann/low/1"]
    assert found.remarks == [
        "accents uncertain, left out: 1",
        "accented words with too little voice, left out: 2",
        "recordings without any voice: 'ann/mute'",
    ]
    assert len(calls) == 4


def test_silence_alone_is_refused(tmp_path: Path) -> None:
    silence = tone(tmp_path / "a.wav", FLAT, [(0, 0)], 1.0)
    with pytest.raises(KaratError, match="none of the 2 accented words has 3 voiced frames between 75 and 500 Hz"):
        measure([spoken(silence, (0.1, 0.5, "H*"), (0.5, 0.9, "L*"))])


def test_one_kind_of_accent_that_is_left_is_refused(tmp_path: Path, pair: list[Recording]) -> None:
    silence = spoken(tone(tmp_path / "a.wav", FLAT, [(0, 0)], 1.0), (0.1, 0.9, "L*"))
    with pytest.raises(KaratError, match=r"all 1 accents are H\*, 1 with too little voice left out"):
        measure([pair[0], silence])


def test_a_pitch_below_the_floor_is_not_heard(pair: list[Recording]) -> None:
    with pytest.raises(KaratError, match="between 300 and 400 Hz"):
        measure(pair, floor=300, ceiling=400)
    with pytest.raises(KaratError, match="floor=500, ceiling=75"):
        measure(pair, floor=500, ceiling=75)


def test_what_is_no_sound_or_too_short_is_refused(tmp_path: Path, pair: list[Recording]) -> None:
    (tmp_path / "text.wav").write_text("no sound", encoding="ascii")
    with pytest.raises(FileError, match=r"Praat cannot measure .*text\.wav' \(.*\); mend it or remove it"):
        measure([*pair, spoken(tmp_path / "text.wav", (0, 1, "H*"))])
    short = tone(tmp_path / "short.wav", FLAT, EVEN, 0.03)
    with pytest.raises(FileError, match=r"short\.wav"):
        measure([*pair, spoken(short, (0, 0.03, "H*"))])


def test_without_parselmouth_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch, pair: list[Recording]) -> None:
    monkeypatch.setitem(sys.modules, "parselmouth", None)
    with pytest.raises(KaratError, match="pip install praat-parselmouth"):
        measure(pair)
