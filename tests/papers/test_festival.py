"""Speech made by Festival: it has the accents that its TextGrids say."""

from __future__ import annotations

import stat
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from karat.errors import KaratError
from karat.papers.corpora import festival
from karat.papers.corpora.festival import (
    CARRIERS,
    PRINTED,
    SPEAKERS,
    WORDS,
    Speaker,
    Utterance,
    make_corpus,
    plan,
    with_noise,
)
from karat.papers.corpora.prosody import Measured, measure
from karat.papers.corpora.speech import Recording, accented_words, recordings

needs_festival = pytest.mark.speech


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_corpus(tmp_path_factory.mktemp("speech") / "corpus", 160, seed=3)


@pytest.fixture(scope="module")
def measured(made: Path) -> Measured:
    return measure(recordings(made))


def test_the_plan_has_the_printed_proportions() -> None:
    plain = {"!H*": "H*", "L+!H*": "L+H*"}
    utterances = plan(1200, seed=0)
    found = Counter(plain.get(u.accent, u.accent) for u in utterances)
    assert found == {"H*": 554, "L*": 327, "L+H*": 270, "L*+H": 28, "H+!H*": 21}
    for accent, number in found.items():
        assert number == pytest.approx(1200 * PRINTED[accent] / 117.9, abs=1)
    stepped = sum(u.accent in plain for u in utterances)
    assert stepped / (554 + 270) == pytest.approx(0.25, abs=0.05)


def test_the_plan_uses_every_speaker_word_and_carrier_and_the_seed_decides() -> None:
    utterances = plan(1200, seed=0)
    assert {u.speaker.name for u in utterances} == {s.name for s in SPEAKERS}
    assert {u.word for u in utterances} == set(WORDS)
    assert {u.carrier for u in utterances} == set(CARRIERS)
    assert all(10 <= u.snr <= 40 for u in utterances)
    assert {u.pink for u in utterances} == {False, True}
    assert utterances == plan(1200, seed=0)
    assert utterances != plan(1200, seed=1)
    assert [len(plan(size, seed=0)) for size in (1, 2, 7)] == [1, 2, 7]


@pytest.mark.parametrize("pink", [False, True])
@pytest.mark.parametrize("snr", [10.0, 40.0])
def test_noise_is_as_loud_as_was_asked(snr: float, pink: bool) -> None:
    samples = 5000 * np.sin(np.arange(16001) / 20)
    noise = with_noise(samples, snr, pink, np.random.default_rng(0)) - samples
    assert 10 * np.log10(np.mean(samples**2) / np.mean(noise**2)) == pytest.approx(snr)
    power = np.abs(np.fft.rfft(noise)) ** 2
    fall = power[1000:2000].mean() / power[4000:8000].mean()  # two octaves: 6 dB for pink noise
    assert fall == pytest.approx(4 if pink else 1, rel=0.15)


def test_samples_with_noise_fit_in_16_bits() -> None:
    noisy = with_noise(np.full(1000, 32767.0), 0.0, False, np.random.default_rng(0))
    assert np.abs(noisy).max() == pytest.approx(32767)


@needs_festival
def test_a_corpus_is_whole_and_the_same_again(tmp_path: Path) -> None:
    calls: list[int] = []
    (tmp_path / "one").mkdir()
    one = make_corpus(tmp_path / "one", 60, seed=5, progress=lambda: calls.append(1))
    two = make_corpus(tmp_path / "new" / "two", 60, seed=5)
    assert len(calls) == 60
    files = {path.relative_to(one): path.read_bytes() for path in one.rglob("*.*")}
    assert len(files) == 120
    assert files == {path.relative_to(two): path.read_bytes() for path in two.rglob("*.*")}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "one"]
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["two"]


def sentence(recording: Recording) -> str:
    return " ".join(word.text for word in recording.words)


@needs_festival
def test_textgrids_say_what_was_planned(made: Path) -> None:
    planned = {u.stem: u for u in plan(160, seed=3)}
    found = recordings(made)
    assert {recording.stem for recording in found} == set(planned)
    for recording in found:
        utterance = planned[recording.stem]
        assert sentence(recording) == utterance.carrier.replace("_", utterance.word)
        assert [tone.label for tone in recording.tones] == [utterance.accent, utterance.tone]
        assert recording.speaker == utterance.speaker.name
        (word,) = accented_words(recording).words
        assert word.text == utterance.word
        assert recording.words[0].start > 0.1  # the pause at the start is no part of a word
        assert recording.tones[1].time == recording.words[-1].end


@needs_festival
def test_accents_stand_on_the_stressed_syllable(made: Path) -> None:
    places: dict[int, list[float]] = {1: [], 2: [], 3: []}
    for recording in recordings(made):
        (word,) = accented_words(recording).words
        if word.text in ("Melanie", "memory", "Manila", "banana", "violin", "lemonade"):  # of three syllables each
            places[WORDS[word.text]].append((recording.tones[0].time - word.start) / (word.end - word.start))
    assert max(places[1]) < min(places[2])
    assert max(places[2]) < min(places[3])


def mean(measured: Measured, feature: str, accent: str, speaker: str = "") -> float:
    kept = [
        row[measured.names.index(feature)]
        for name, label, row in zip(measured.ids, measured.labels, measured.features, strict=True)
        if label == accent and name.startswith(speaker)
    ]
    return float(np.mean(kept))


@needs_festival
def test_accents_are_heard(measured: Measured) -> None:
    """Were they dropped, as Festival drops those that are given with words, all accents would sound alike."""
    for speaker in SPEAKERS:
        low, high = (mean(measured, "mean F0", accent, speaker.name) for accent in ("L*", "H*"))
        assert low < high - 10
    assert mean(measured, "slope to maximum", "L+H*") > mean(measured, "slope to maximum", "H*") + 50
    assert mean(measured, "position of maximum", "L*+H") > mean(measured, "position of maximum", "L+H*")
    assert mean(measured, "position of maximum", "L+H*") > mean(measured, "position of maximum", "H*")
    assert mean(measured, "position of maximum", "H+!H*") < mean(measured, "position of maximum", "H*")
    assert measured.remarks == []


def said(number: int, accent: str, word: str = "Manila", carrier: str = CARRIERS[3], stretch: float = 1.0) -> Utterance:
    return Utterance(number, Speaker("s", 190, 70, stretch), carrier, word, accent, "L-L%", 30.0, False)


@needs_festival
def test_downstepped_accents_are_lower_than_plain_ones(tmp_path: Path) -> None:
    import parselmouth as praat

    accents = ["H*", "!H*", "L+H*", "L+!H*"]
    spoken = festival._speak([said(number, accent) for number, accent in enumerate(accents)], tmp_path / "raw")
    peaks = []
    for number, (_, tones) in enumerate(spoken):
        pitch = praat.Sound(str(tmp_path / "raw" / f"u{number:05d}.wav")).to_pitch_ac(time_step=0.01)
        inside = (pitch.xs() > tones[0].start) & (pitch.xs() < tones[0].end)
        peaks.append(pitch.selected_array["frequency"][inside].max())
    assert peaks[1] < peaks[0] - 10
    assert peaks[3] < peaks[2] - 10


@needs_festival
def test_every_word_can_be_said_quickly_in_every_carrier(tmp_path: Path) -> None:
    """A leading tone needs time before its accent: Festival gives up where there is none."""
    quickest = min(speaker.stretch for speaker in SPEAKERS) * 0.9
    kinds = [(accent, word, carrier) for accent in ("L+H*", "H+!H*") for word in WORDS for carrier in CARRIERS]
    cases = [said(0, *kind, quickest) for kind in kinds]
    assert len(festival._speak(cases, tmp_path / "raw")) == 2 * 16 * 8


@needs_festival
def test_what_cannot_be_said_is_refused_with_the_words_of_festival(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(festival, "_SCHEME", festival._SCHEME.replace("voice_kal_diphone", "voice_of_nobody"))
    with pytest.raises(KaratError, match=r"\(SIOD ERROR: unbound variable : voice_of_nobody\); install it \(Debian"):
        make_corpus(tmp_path / "corpus", 3)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("script", "said"), [("echo said a.wav", "it ended with 0"), ("echo oh no >&2; exit 3", "oh no")]
)
def test_a_festival_that_says_too_little_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, said: str
) -> None:
    program = tmp_path / "bin" / "festival"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{program.parent}:/bin:/usr/bin")
    with pytest.raises(KaratError, match=rf"Festival did not speak \({said}\)"):
        make_corpus(tmp_path / "corpus", 3)
    assert not (tmp_path / "corpus").exists()


def test_without_festival_the_remedy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(KaratError, match=r"apt-get install festival festvox-kallpc16k.* or give a folder of WAV"):
        make_corpus(tmp_path / "corpus")


@needs_festival
def test_an_interrupted_corpus_leaves_nothing(tmp_path: Path) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_corpus(tmp_path / "corpus", 10, progress=stop)
    assert list(tmp_path.iterdir()) == []


@needs_festival
def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(KaratError, match=r"cannot be created .*; choose another"):
        make_corpus(tmp_path / "file" / "corpus", 3)


def test_what_makes_no_corpus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KaratError, match="size=0 and seed=0 make no speech"):
        make_corpus(tmp_path / "corpus", 0)
    with pytest.raises(KaratError, match="seed=-1"):
        make_corpus(tmp_path / "corpus", 10, seed=-1)
    (tmp_path / "mine.txt").touch()
    for place in (tmp_path, tmp_path / "mine.txt"):
        with pytest.raises(KaratError, match="is there already; name a new folder"):
            make_corpus(place)
