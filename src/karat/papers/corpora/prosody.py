"""Ten acoustic features of accented words: Rosenberg and Hirschberg (2007), section 5.2, measured with Praat."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.errors import FileError, KaratError, listed
from karat.papers.corpora.speech import AccentedWord, Accents, Recording, check_kinds, corpus_accents

Floats = NDArray[np.float64]

FEATURES = (
    "mean F0",  # Hz
    "mean F0, normalised",  # in standard deviations of the speaker, as all normalised features
    "mean ΔF0",  # Hz/s
    "mean ΔF0, normalised",
    "position of maximum",  # 0 at the start of the word, 1 at its end
    "distance to loudest",  # seconds between the maximum of F0 and that of intensity
    "slope to maximum",  # Hz/s
    "slope to maximum, normalised",  # standard deviations of F0 per second
    "slope from maximum",
    "slope from maximum, normalised",
)

LEAST = 3  # voiced frames that a word needs


class Measured(NamedTuple):
    """Accented words: their ids, accents and features, and remarks on omitted words."""

    ids: list[str]  # speaker/recording/index of the word, from 1
    labels: list[str]
    features: Floats
    names: tuple[str, ...]
    remarks: list[str]


class Contour(NamedTuple):
    """Praat's analysis of a recording: F0 in Hz at each time, 0 in unvoiced frames, and intensity in dB."""

    times: Floats
    f0: Floats
    loud_times: Floats
    loudness: Floats

    def delta(self, start: float = -np.inf, end: float = np.inf) -> Floats:
        """The change of F0 in Hz/s between neighbouring frames of a stretch of time, where both are voiced."""
        inside = (self.times >= start) & (self.times <= end)
        f0, times = self.f0[inside], self.times[inside]
        both = (f0[:-1] > 0) & (f0[1:] > 0)
        return np.asarray((np.diff(f0) / np.diff(times))[both])


class Voice(NamedTuple):
    """The mean and standard deviation of a speaker's F0, and of its change."""

    f0: tuple[float, float]
    delta: tuple[float, float]


def measure(
    recordings: Sequence[Recording],
    *,
    time_step: float = 0.01,
    floor: float = 75.0,
    ceiling: float = 500.0,
    progress: Callable[[], object] | None = None,
) -> Measured:
    """The ten features of every accented word; floor and ceiling bound F0, in Hz.

    A speaker's mean and standard deviation are over all voiced frames of all their recordings. Words with fewer than
    three voiced frames, or without two adjacent ones, are omitted and counted in a remark.
    """
    if not (time_step > 0 and 0 < floor < ceiling):
        asked = f"time_step={time_step}, floor={floor}, ceiling={ceiling}"
        raise KaratError(f"{asked} cannot be; give a step above 0, and a floor above 0 and below the ceiling.")
    accents = corpus_accents(recordings)
    contours = []
    for recording in recordings:
        contours.append(_contour(recording.wav, time_step, floor, ceiling))
        if progress:
            progress()
    voices = _voices(recordings, contours)
    measured_words = [
        (f"{recording.speaker}/{recording.stem}/{word.number}", word.accent, row)
        for recording, accented, sound in zip(recordings, accents, contours, strict=True)
        for word in accented.words
        if (row := _features(word, sound, voices[recording.speaker]))
    ]
    faint = sum(len(accented.words) for accented in accents) - len(measured_words)
    ids, labels, rows = (
        (list(column) for column in zip(*measured_words, strict=True)) if measured_words else ([], [], [])
    )
    _check_rest(labels, faint, floor, ceiling)
    return Measured(ids, labels, np.array(rows), FEATURES, _remarks(recordings, accents, contours, faint))


def _contour(wav: Path, time_step: float, floor: float, ceiling: float) -> Contour:
    """F0 by Praat's autocorrelation method (Get Pitch (ac)), and intensity, with the same time step."""
    library = praat()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # Praat reads a truncated file as silence, with a warning
            sound = library.Sound(str(wav))
        pitch = sound.to_pitch_ac(time_step=time_step, pitch_floor=floor, pitch_ceiling=ceiling)
        intensity = sound.to_intensity(minimum_pitch=floor, time_step=time_step)
    except (library.PraatError, UserWarning) as problem:
        why = str(problem).split("\n", 1)[0].rstrip(".")
        raise FileError(f"Praat cannot measure {str(wav)!r} ({why}); mend it or remove it.") from None
    return Contour(pitch.xs(), pitch.selected_array["frequency"], intensity.xs(), intensity.values[0])


def praat() -> Any:
    """Praat as a library, if it is installed."""
    try:
        import parselmouth
    except ImportError:
        raise KaratError(
            "measuring speech needs parselmouth, which is not installed; pip install praat-parselmouth."
        ) from None
    return parselmouth


def _voices(recordings: Sequence[Recording], contours: Sequence[Contour]) -> dict[str, Voice]:
    voices = {}
    for speaker in {recording.speaker for recording in recordings}:
        own = [sound for recording, sound in zip(recordings, contours, strict=True) if recording.speaker == speaker]
        f0 = np.concatenate([sound.f0[sound.f0 > 0] for sound in own])
        delta = np.concatenate([sound.delta() for sound in own])
        voices[speaker] = Voice(_mean_and_deviation(f0), _mean_and_deviation(delta))
    return voices


def _mean_and_deviation(values: Floats) -> tuple[float, float]:
    return (float(values.mean()), float(values.std())) if values.size else (0.0, 0.0)


def _features(word: AccentedWord, sound: Contour, voice: Voice) -> list[float] | None:
    """A row of features in the order of FEATURES, or None if too few frames are voiced."""
    voiced = (sound.times >= word.start) & (sound.times <= word.end) & (sound.f0 > 0)
    loud = (sound.loud_times >= word.start) & (sound.loud_times <= word.end)
    times, f0, delta = sound.times[voiced], sound.f0[voiced], sound.delta(word.start, word.end)
    if times.size < LEAST or not delta.size or not loud.any():  # intensity has no frames at the edges of a recording
        return None
    mean, change, peak = float(f0.mean()), float(delta.mean()), int(f0.argmax())
    loudest = sound.loud_times[loud][sound.loudness[loud].argmax()]
    rise, fall = _slope(times, f0, 0, peak), _slope(times, f0, peak, -1)
    return [
        mean,
        _scaled(mean - voice.f0[0], voice.f0[1]),
        change,
        _scaled(change - voice.delta[0], voice.delta[1]),
        float((times[peak] - word.start) / (word.end - word.start)),
        float(abs(times[peak] - loudest)),
        rise,
        _scaled(rise, voice.f0[1]),
        fall,
        _scaled(fall, voice.f0[1]),
    ]


def _slope(times: Floats, f0: Floats, first: int, last: int) -> float:
    """The slope of the line between two frames; 0 if they are the same."""
    return _scaled(float(f0[last] - f0[first]), float(times[last] - times[first]))


def _scaled(value: float, by: float) -> float:
    return value / by if by > 0 else 0.0


def _check_rest(labels: Sequence[str], faint: int, floor: float, ceiling: float) -> None:
    if faint and not labels:
        raise KaratError(
            f"none of the {faint} accented words has {LEAST} voiced frames between {floor:g} and {ceiling:g} Hz; "
            "check that the recordings are not silent."
        )
    check_kinds(labels, Counter({"with too little voice": faint} if faint else {}))


def _remarks(
    recordings: Sequence[Recording], accents: Sequence[Accents], contours: Sequence[Contour], faint: int
) -> list[str]:
    left_out = sum((accented.left_out for accented in accents), Counter[str]())
    remarks = [f"accents {reason}, left out: {number}" for reason, number in sorted(left_out.items())]
    if faint:
        remarks.append(f"accented words with too little voice, left out: {faint}")
    pairs = zip(recordings, contours, strict=True)
    if mute := [f"{recording.speaker}/{recording.stem}" for recording, sound in pairs if not sound.f0.any()]:
        remarks.append(f"recordings without any voice: {listed(mute)}")
    return remarks
