"""Speech with ToBI labels: a folder for each speaker, a WAV and a TextGrid for each recording."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from karat.errors import FileError, KaratError, listed
from karat.papers.corpora.textgrids import Mark, TextGrid, Tier, read_textgrid

ACCENTS = ("H*", "L*", "L+H*", "L*+H", "H+!H*")
PLAIN = {"!H*": "H*", "L+!H*": "L+H*", "L*+!H": "L*+H", "!H+!H*": "H+!H*"}  # class of each downstepped accent

_WORDS = ("words", "word", "orthography", "orth")
_TONES = ("tones", "tone", "tobi", "accents")


class Tone(NamedTuple):
    """A ToBI label, and its time."""

    time: float
    label: str


class Recording(NamedTuple):
    """A recording with its words and tones in temporal order; the speaker is '.' outside folders."""

    speaker: str
    stem: str
    wav: Path
    words: tuple[Mark, ...]
    tones: tuple[Tone, ...]


class AccentedWord(NamedTuple):
    """A word that bears a pitch accent; number is its index in the recording, from 1."""

    number: int
    start: float
    end: float
    text: str
    accent: str


class Accents(NamedTuple):
    """The accented words of a recording, and the number of omitted accents by reason."""

    words: tuple[AccentedWord, ...]
    left_out: Counter[str]


def recordings(folder: str | PathLike[str]) -> list[Recording]:
    """The recordings of a corpus, each WAV with the TextGrid of its stem, by speaker and name."""
    home = Path(folder)
    if not home.is_dir():
        raise FileError(f"there is no folder {str(home)!r}; check its name.")
    folders = [(".", home), *((inner.name, inner) for inner in _inside(home) if inner.is_dir())]
    recordings_read = [recording for speaker, folder in folders for recording in _recordings_of(speaker, folder)]
    if not recordings_read:
        raise FileError(
            f"{str(home)!r} has no WAV file; put recordings in it, or in one folder for each speaker, "
            "as NAME.wav and NAME.TextGrid."
        )
    return recordings_read


def _inside(folder: Path) -> list[Path]:
    """The entries of a folder in order of name, without hidden files."""
    return sorted(path for path in folder.iterdir() if not path.name.startswith("."))


def _recordings_of(speaker: str, folder: Path) -> Iterator[Recording]:
    files = [path for path in _inside(folder) if path.is_file()]
    grids = {path.stem: path for path in files if path.suffix.lower() == ".textgrid"}
    waves = {path.stem for path in files if path.suffix.lower() == ".wav"}
    for stem in grids:
        if stem not in waves:
            raise FileError(f"{str(grids[stem])!r} has no WAV; put {stem}.wav beside it, or remove it.")
    for wav in files:
        if wav.suffix.lower() != ".wav":
            continue
        if wav.stem not in grids:
            raise FileError(f"{str(wav)!r} has no TextGrid; put {wav.stem}.TextGrid beside it, or remove it.")
        yield _recording(speaker, wav, grids[wav.stem])


def _recording(speaker: str, wav: Path, labels: Path) -> Recording:
    grid = read_textgrid(labels)
    words = _nonempty_marks(_tier_named(grid, _WORDS, "interval", labels))
    tones = (
        Tone((start + end) / 2, text)
        for start, end, text in _nonempty_marks(_tier_named(grid, _TONES, "point", labels))
    )
    return Recording(speaker, wav.stem, wav, words, tuple(tones))


def _nonempty_marks(tier: Tier) -> tuple[Mark, ...]:
    """The non-empty marks of a tier in temporal order."""
    kept = [mark._replace(text=mark.text.strip()) for mark in tier.marks if mark.text.strip()]
    return tuple(sorted(kept, key=lambda mark: mark.start))


def _tier_named(grid: TextGrid, names: Sequence[str], kind: str, path: Path) -> Tier:
    """The tier with the first of these names that occurs; tones may also be intervals."""
    fit = {tier.name.strip().lower(): tier for tier in reversed(grid.tiers) if kind == "point" or not tier.points}
    for name in names:
        if name in fit:
            return fit[name]
    there = listed(tier.name for tier in grid.tiers) or "none"
    raise FileError(f"{str(path)!r} has no {kind} tier {' or '.join(names)}, only {there}; name one of them so.")


def accented_words(recording: Recording) -> Accents:
    """The words with a pitch accent, each with its first accent.

    Downstepped accents count as plain ones (!H* as H*), but H+!H* is a class of its own. Boundary tones have no star.
    """
    starts = [word.start for word in recording.words]
    accents: dict[int, str] = {}
    left_out: Counter[str] = Counter()
    for tone in recording.tones:
        index = bisect_right(starts, tone.time) - 1
        inside = index >= 0 and tone.time <= recording.words[index].end
        for label in tone.label.split():
            if "*" not in label:
                continue
            if reason := _omission(label, inside, index in accents):
                left_out[reason] += 1
            else:
                accents[index] = PLAIN.get(label, label)
    words = (AccentedWord(index + 1, *recording.words[index], accent) for index, accent in sorted(accents.items()))
    return Accents(tuple(words), left_out)


def _omission(label: str, inside: bool, taken: bool) -> str:
    """The reason why an accent is omitted; empty if it is not."""
    if "?" in label:
        return "uncertain"
    if PLAIN.get(label, label) not in ACCENTS:
        return "of an unknown kind"
    if not inside:
        return "outside any word"
    return "after another in the same word" if taken else ""


def corpus_accents(corpus: Sequence[Recording]) -> list[Accents]:
    """The accented words of each recording; KaratError if accents are not of two kinds or more."""
    counted = [accented_words(recording) for recording in corpus]
    left_out = sum((accents.left_out for accents in counted), Counter[str]())
    check_kinds([word.accent for accents in counted for word in accents.words], left_out)
    return counted


def check_kinds(accents: Sequence[str], left_out: Counter[str]) -> None:
    """Raise KaratError if there are no accents, or all are of one kind."""
    why = "".join(f", {number} {reason} left out" for reason, number in sorted(left_out.items()))
    if not accents:
        raise KaratError(f"no word has a pitch accent of a known kind{why}; label {listed(ACCENTS)} in the tones tier.")
    if len(set(accents)) == 1:
        raise KaratError(f"all {len(accents)} accents are {accents[0]}{why}; label accents of at least two kinds.")
