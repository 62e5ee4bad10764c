"""Speech with known pitch accents, synthesised by Festival, with TextGrids.

Festival drops accents that are given with words, so each is attached to a syllable, where its ToBI rules look.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import wave
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.errors import KaratError
from karat.machine.programs import find_program
from karat.papers.corpora.textgrids import Mark, TextGrid, Tier, tiled, write_textgrid

Floats = NDArray[np.float64]

PRINTED = {"H*": 54.4, "L*": 32.1, "L+H*": 26.5, "L*+H": 2.8, "H+!H*": 2.1}  # per cent, as printed; their sum is 117.9
DOWNSTEPPED = {"H*": "!H*", "L+H*": "L+!H*"}
STEPPED = 0.25  # share of these accents that is downstepped
TONES = {"L-L%": 0.7, "L-H%": 0.15, "H-L%": 0.15}  # shares of the boundary tones
SNR = (10.0, 40.0)  # decibels
BATCH = 50  # utterances per run of Festival
INSTALL = "install it (Debian: apt-get install festival festvox-kallpc16k) or give a folder of WAV and TextGrid files"


class Speaker(NamedTuple):
    """A voice: its F0 range, and its durations."""

    name: str
    topline: float  # Hz; Festival's rules use 92% of it
    baseline: float  # Hz; Festival's rules use 133% of it
    stretch: float  # factor of durations


SPEAKERS = (
    Speaker("s1", 146, 61, 1.1),
    Speaker("s2", 170, 68, 0.95),
    Speaker("s3", 135, 66, 1.25),
    Speaker("s4", 190, 74, 1.0),
    Speaker("s5", 160, 80, 1.15),
    Speaker("s6", 215, 92, 0.9),
    Speaker("s7", 235, 115, 1.05),
    Speaker("s8", 205, 105, 1.3),
)

WORDS = {  # word and index of its stressed syllable: the lexicon does not distinguish secondary stress
    "Melanie": 1, "memory": 1, "gondola": 1, "Maryland": 1, "gardening": 1, "Amelia": 2, "Manila": 2, "banana": 2,
    "magnolia": 2, "aluminum": 2, "Vermont": 2, "Marianna": 3, "Alabama": 3, "armadillo": 3, "violin": 3, "lemonade": 3,
}  # fmt: skip

CARRIERS = (  # none begins with the word: there the low tone of a fast L+H* has no time, and Festival fails
    "maybe _ is on my mind",
    "and _ was never in our way",
    "nobody mentioned _ again",
    "we were dreaming of _ all morning",
    "you know that _ made me wonder",
    "they will remember _ in a year",
    "I am learning more about _ every day",
    "now we are going to read about _",
)

# say: the wave in a file; on the standard output the times of words, then of accents and boundary tones, which are read
# from the utterance that was spoken, not from what was asked for.
_SCHEME = """\
(voice_kal_diphone)
(require 'tobi_rules)
(setup_tobi_f0_method)
(define (hang utt syllable label)
  (let ((event (utt.relation.append utt 'IntEvent (list label nil))))
    (if (not (item.relation syllable 'Intonation)) (utt.relation.append utt 'Intonation syllable))
    (item.relation.append_daughter syllable 'Intonation event)))
(define (syllables word) (item.relation.daughters word 'SylStructure))
(define (tell_word word)
  (format t "word %s %f %f\\n" (item.name word) (item.feat word 'word_start) (item.feat word 'word_end)))
(define (tell_tones syllable)
  (mapcar
    (lambda (event)
      (format t "tone %s %f %f\\n"
        (item.name event) (item.feat syllable 'syllable_start) (item.feat syllable 'syllable_end)))
    (item.relation.daughters syllable 'Intonation)))
(define (say file utt place stressed accent tone topline baseline stretch)
  (Parameter.set 'Default_Topline topline)
  (Parameter.set 'Default_Start_Baseline baseline)
  (Parameter.set 'Duration_Stretch stretch)
  (Initialize utt) (POS utt) (Phrasify utt) (Word utt) (Pauses utt)
  (utt.relation.create utt 'IntEvent)
  (utt.relation.create utt 'Intonation)
  (let ((words (utt.relation.items utt 'Word)))
    (hang utt (nth stressed (syllables (nth place words))) accent)
    (hang utt (car (last (syllables (car (last words))))) tone)
    (PostLex utt) (Duration utt) (Int_Targets utt) (Wave_Synth utt)
    (utt.save.wave utt file 'riff)
    (format t "said %s\\n" file)
    (mapcar tell_word words)
    (mapcar tell_tones (utt.relation.items utt 'Syllable))))
"""


class Utterance(NamedTuple):
    """An utterance to synthesise: its text, prosody, and noise."""

    number: int
    speaker: Speaker  # with the range and speed of this utterance
    carrier: str
    word: str
    accent: str
    tone: str
    snr: float  # decibels
    pink: bool  # noise that falls by 3 dB per octave, else white

    @property
    def stem(self) -> str:
        """The stem of the utterance's file names."""
        return f"u{self.number:05d}"

    def command(self) -> str:
        """The Scheme expression that makes Festival synthesise the utterance."""
        words = self.carrier.split()
        index = words.index("_")
        words[index] = self.word
        range_and_speed = f"{self.speaker.topline:.3f} {self.speaker.baseline:.3f} {self.speaker.stretch:.3f}"
        return (
            f'(say "{self.stem}.wav" (Utterance Words ({" ".join(words)})) {index} {WORDS[self.word] - 1} '
            f'"{self.accent}" "{self.tone}" {range_and_speed})'
        )


class Spoken(NamedTuple):
    """The times of the words and tones of an utterance, as reported by Festival."""

    words: list[Mark]
    tones: list[Mark]


def make_corpus(
    folder: str | PathLike[str], size: int = 1200, seed: int = 0, progress: Callable[[], object] | None = None
) -> Path:
    """Synthesise `size` utterances with one accented word each; reproducible by seed.

    Accents have the proportions that Rosenberg and Hirschberg (2007) print, normalised to 1; a quarter of H* and of
    L+H* is downstepped. Eight speakers differ in F0 range and speed, and every recording has its own noise, 10 to 40 dB
    below the speech. The folder appears only when it is complete; progress is called for each recording.
    """
    home = Path(folder)
    _check(home, size, seed)
    utterances = plan(size, seed)
    batches = [utterances[first : first + BATCH] for first in range(0, size, BATCH)]
    with _atomic_folder(home) as (raw, finished), ThreadPoolExecutor(os.cpu_count()) as pool:
        running = [pool.submit(_speak, batch, raw / f"b{number}") for number, batch in enumerate(batches)]
        try:
            for number, (batch, future) in enumerate(zip(batches, running, strict=True)):
                for utterance, spoken in zip(batch, future.result(), strict=True):
                    _keep(utterance, spoken, raw / f"b{number}", finished, seed)
                    if progress:
                        progress()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return home


def is_complete(folder: str | PathLike[str], size: int) -> bool:
    """Whether a synthesised corpus has all its recordings."""
    return sum(1 for _ in Path(folder).glob("*/*.wav")) == size == sum(1 for _ in Path(folder).glob("*/*.TextGrid"))


def _check(home: Path, size: int, seed: int) -> None:
    if size < 1 or seed < 0:
        raise KaratError(f"size={size} and seed={seed} make no speech; give a size above 0, and a seed from 0 on.")
    if home.exists() and (not home.is_dir() or any(home.iterdir())):
        raise KaratError(f"{str(home)!r} is there already; name a new folder, or remove it first.")
    if find_program("festival") is None:
        raise KaratError(f"making speech needs Festival, which is not on the PATH; {INSTALL}.")


@contextmanager
def _atomic_folder(home: Path) -> Iterator[tuple[Path, Path]]:
    """Yield a folder for temporary files and one that is renamed to home on success."""
    work = home.absolute().parent / f".karat-{os.getpid()}-{token_hex(4)}"
    finished = work / "finished"
    try:
        finished.mkdir(parents=True)
    except OSError as problem:
        raise KaratError(f"{str(home)!r} cannot be created ({problem.strerror}); choose another.") from None
    try:
        yield work, finished
        if home.exists() and not any(home.iterdir()):
            home.rmdir()
        if not home.exists():  # else another process has just created the same corpus
            finished.rename(home)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def plan(size: int, seed: int) -> list[Utterance]:
    """The utterances to synthesise: accents in exact proportions and random order, all else random."""
    rng = np.random.default_rng(seed)
    accents = rng.permutation(np.repeat(list(PRINTED), _shares(size)))
    tones, weights = list(TONES), list(TONES.values())
    utterances = []
    for number, accent in enumerate(accents.tolist(), 1):
        speaker = SPEAKERS[rng.integers(len(SPEAKERS))]
        level, speed = rng.uniform(0.92, 1.08), rng.uniform(0.9, 1.1)  # varies from utterance to utterance
        stepped = rng.random() < STEPPED
        utterances.append(
            Utterance(
                number,
                Speaker(speaker.name, speaker.topline * level, speaker.baseline * level, speaker.stretch * speed),
                CARRIERS[rng.integers(len(CARRIERS))],
                list(WORDS)[rng.integers(len(WORDS))],
                DOWNSTEPPED.get(accent, accent) if stepped else accent,
                tones[rng.choice(len(tones), p=weights)],
                rng.uniform(*SNR),
                bool(rng.random() < 0.5),
            )
        )
    return utterances


def _shares(size: int) -> list[int]:
    """The number of utterances of each accent, by the largest-remainder method."""
    exact = np.array(list(PRINTED.values())) * size / sum(PRINTED.values())
    numbers = np.floor(exact).astype(int)
    numbers[np.argsort(numbers - exact, kind="stable")[: size - numbers.sum()]] += 1
    return [int(number) for number in numbers]


def _speak(batch: Sequence[Utterance], folder: Path) -> list[Spoken]:
    """Synthesise some utterances into a folder."""
    folder.mkdir()
    commands = "\n".join(utterance.command() for utterance in batch)
    (folder / "say.scm").write_text(f"{_SCHEME}{commands}\n", encoding="ascii")
    run = subprocess.run(
        [find_program("festival") or "festival", "-b", "say.scm"],
        cwd=folder,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    spoken = _parsed(run.stdout)
    if run.returncode or len(spoken) != len(batch):
        raise KaratError(f"Festival did not speak ({_complaint(run)}); {INSTALL}.")
    return spoken


def _complaint(run: subprocess.CompletedProcess[str]) -> str:
    """The first line of Festival's error message."""
    lines = [line.strip() for line in run.stderr.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or [f"it ended with {run.returncode}"])[0]


def _parsed(output: str) -> list[Spoken]:
    """The times of words and tones that Festival printed, for each utterance."""
    spoken: list[Spoken] = []
    for line in output.splitlines():
        match line.split():
            case ["said", _]:
                spoken.append(Spoken([], []))
            case [("word" | "tone") as kind, text, start, end] if spoken:
                marks = spoken[-1].words if kind == "word" else spoken[-1].tones
                marks.append(Mark(float(start), float(end), text))
    return spoken


def _keep(utterance: Utterance, spoken: Spoken, raw: Path, finished: Path, seed: int) -> None:
    """Add noise to an utterance, and write it with its TextGrid."""
    folder = finished / utterance.speaker.name
    folder.mkdir(exist_ok=True)
    samples, rate = _read_wave(raw / f"{utterance.stem}.wav")
    (raw / f"{utterance.stem}.wav").unlink()
    noisy = with_noise(samples, utterance.snr, utterance.pink, np.random.default_rng([seed, utterance.number]))
    _write_wave(folder / f"{utterance.stem}.wav", noisy, rate)
    end = samples.size / rate
    points = [_point(tone) for tone in spoken.tones]
    words, tones = Tier("words", False, tiled(spoken.words, 0.0, end)), Tier("tones", True, tuple(points))
    write_textgrid(folder / f"{utterance.stem}.TextGrid", TextGrid(0.0, end, (words, tones)))


def _point(tone: Mark) -> Mark:
    """A tone as a mark: an accent in the middle of its syllable, a boundary tone at the end."""
    time = (tone.start + tone.end) / 2 if "*" in tone.text else tone.end
    return Mark(time, time, tone.text)


def with_noise(samples: Floats, snr: float, pink: bool, rng: np.random.Generator) -> Floats:
    """Add white or pink noise at a signal-to-noise ratio in dB; scale down if the sum exceeds 16 bits."""
    noise = rng.standard_normal(samples.size)
    if pink:
        spectrum = np.fft.rfft(noise)
        spectrum[1:] /= np.sqrt(np.arange(1, spectrum.size))
        noise = np.fft.irfft(spectrum, samples.size)
    power = np.mean(samples**2) / np.mean(noise**2)
    noisy = samples + noise * np.sqrt(power / 10 ** (snr / 10))
    return np.asarray(noisy * min(1.0, 32767 / max(np.abs(noisy).max(), 1.0)))


def _read_wave(path: Path) -> tuple[Floats, int]:
    with wave.open(str(path), "rb") as file:
        return np.frombuffer(file.readframes(file.getnframes()), dtype="<i2").astype(np.float64), file.getframerate()


def _write_wave(path: Path, samples: Floats, rate: int) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(np.rint(samples).astype("<i2").tobytes())
