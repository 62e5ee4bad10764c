"""Speech corpora on disk: TextGrids in both formats, words and tones, and which accents count."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.errors import FileError, KaratError
from karat.papers.corpora.speech import Recording, Tone, accented_words, corpus_accents, recordings
from karat.papers.corpora.textgrids import Mark, TextGrid, Tier, read_textgrid, tiled, write_textgrid

LONG = """File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 1.5 ! seconds
tiers? <exists>
size = 2
item []:
    item [1]:
        class = "IntervalTier"
        name = "Words"
        xmin = 0
        xmax = 1.5
        intervals: size = 2
        intervals [1]:
            xmin = 0
            xmax = 0.5
            text = ""
        intervals [2]:
            xmin = 0.5
            xmax = 1.5
            text = "say ""café"" 12"
    item [2]:
        class = "TextTier"
        name = "tones"
        xmin = 0
        xmax = 1.5
        points: size = 1
        points [1]:
            number = 0.75
            mark = "!H*"
"""

SHORT = """File type = "ooTextFile"
Object class = "TextGrid"

0
1.5
<exists>
2
"IntervalTier"
"Words"
0
1.5
2
0
0.5
""
0.5
1.5
"say ""café"" 12"
"TextTier"
"tones"
0
1.5
1
0.75
"!H*"
"""

GRID = TextGrid(
    0.0,
    1.5,
    (
        Tier("Words", False, (Mark(0.0, 0.5, ""), Mark(0.5, 1.5, 'say "café" 12'))),
        Tier("tones", True, (Mark(0.75, 0.75, "!H*"),)),
    ),
)


def corpus(folder: Path, **tones: str) -> Path:
    """Recordings by name, each of two words in 0..1 and 1..2, with tones such as '0.5 H*, 1.5 L*'."""
    for name, text in tones.items():
        points = [mark.split(" ", 1) for mark in text.split(", ") if mark]
        marks = tuple(Mark(float(time), float(time), label) for time, label in points)
        words = Tier("words", False, (Mark(0, 1, "one"), Mark(1, 2, "two")))
        write_textgrid(folder / f"{name}.TextGrid", TextGrid(0, 2, (words, Tier("tones", True, marks))))
        (folder / f"{name}.wav").touch()
    return folder


def spoken(*tones: tuple[float, str]) -> Recording:
    words = (Mark(1.0, 2.0, "one"), Mark(2.0, 3.0, "two"), Mark(4.0, 5.0, "three"))
    return Recording("a", "r", Path("r.wav"), words, tuple(Tone(*tone) for tone in tones))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "latin-1"])
@pytest.mark.parametrize("text", [LONG, SHORT, SHORT.replace("\n", "\r\n"), SHORT.replace("\n", "\r")])
def test_both_formats_in_every_encoding_give_the_same(tmp_path: Path, text: str, encoding: str) -> None:
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    (tmp_path / "a.TextGrid").write_bytes((mark + text).encode(encoding))
    assert read_textgrid(tmp_path / "a.TextGrid") == GRID


@pytest.mark.parametrize("command", ["Save as text file...", "Save as short text file..."])
@pytest.mark.parametrize("word", ['say "x"', "café", "любовь"])  # Praat writes the last in UTF-16
def test_praat_reads_what_we_write_and_we_read_what_praat_writes(tmp_path: Path, word: str, command: str) -> None:
    import parselmouth as praat

    grid = GRID._replace(
        tiers=(GRID.tiers[0]._replace(marks=(Mark(0.0, 0.5, ""), Mark(0.5, 1.5, word))), GRID.tiers[1])
    )
    write_textgrid(tmp_path / "ours.TextGrid", grid)
    praat.praat.call(praat.read(str(tmp_path / "ours.TextGrid")), command, str(tmp_path / "theirs.TextGrid"))
    assert read_textgrid(tmp_path / "theirs.TextGrid") == grid


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
TIME = st.floats(0, 1e6, allow_nan=False)
INTERVAL = st.builds(lambda a, b, text: Mark(min(a, b), max(a, b), text), TIME, TIME, TEXT)
POINT = st.builds(lambda time, text: Mark(time, time, text), TIME, TEXT)
TIER = st.one_of(
    st.builds(Tier, TEXT, st.just(False), st.lists(INTERVAL, max_size=4).map(tuple)),
    st.builds(Tier, TEXT, st.just(True), st.lists(POINT, max_size=4).map(tuple)),
)


@given(st.builds(TextGrid, TIME, TIME, st.lists(TIER, max_size=3).map(tuple)))
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, grid: TextGrid) -> None:
    path = tmp_path_factory.getbasetemp() / "again.TextGrid"
    write_textgrid(path, grid)
    assert read_textgrid(path) == grid


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"TextGrid"', '"Pitch"', 'line 2 .* has "Pitch" where a TextGrid has "TextGrid"'),
        ('"ooTextFile"', '"other"', 'line 1 .*"ooTextFile"'),
        ("size = 2\nitem", "size = 3\nitem", "line 31 .* the end of the file where .* the kind of a tier"),
        ("size = 2\nitem", "size = 1\nitem", 'line 24 .* has "TextTier" .* the end of the file;'),
        ("size = 2\nitem", "size = 2.5\nitem", "line 7 .* has 2.5 .* the number of tiers"),
        ("size = 2\nitem", "size = -2\nitem", "line 7 .* has -2 .* the number of tiers"),
        ('"IntervalTier"', '"Tier"', 'line 10 .*"IntervalTier" or "TextTier"'),
        ("xmax = 0.5", "xmax = half", "line 18 .* the end of an interval"),
        ("xmax = 0.5", "xmax = 1e999", "line 17 .* has 1e999 .* the end of an interval"),
        ("xmin = 0.5", "xmin = 1.75", "line 21 .* has 1.5 .* an end after the start"),
        ('"!H*"', '"!H*', "line 31 .* a closing quote"),
        ("number = 0.75", 'number = "?"', "line 30 .* the time of a point"),
    ],
)
def test_a_malformed_textgrid_is_refused_with_its_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in LONG
    (tmp_path / "a.TextGrid").write_text(LONG.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(FileError, match=said):
        read_textgrid(tmp_path / "a.TextGrid")


@pytest.mark.parametrize("content", [b"", b"ooBinaryFile\x08TextGrid\x00\x01", b"\x00\xff\xfe" * 50])
def test_what_is_not_a_textgrid_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.TextGrid").write_bytes(content)
    with pytest.raises(FileError, match=r"line \d+ of .* has .* where a TextGrid has the file type; save it"):
        read_textgrid(tmp_path / "a.TextGrid")


def test_half_a_character_of_utf_16_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.TextGrid").write_bytes(LONG.encode("utf-16") + b"\x00")
    with pytest.raises(FileError, match="begins as UTF-16 but is not"):
        read_textgrid(tmp_path / "a.TextGrid")
    with pytest.raises(FileError, match=r"b\.TextGrid' cannot be read"):
        read_textgrid(tmp_path / "b.TextGrid")


@pytest.mark.parametrize("chars", range(0, len(SHORT), 7))
def test_a_textgrid_that_was_cut_off_is_refused(tmp_path: Path, chars: int) -> None:
    (tmp_path / "a.TextGrid").write_text(SHORT[:chars], encoding="utf-8")
    with pytest.raises(FileError, match="line"):
        read_textgrid(tmp_path / "a.TextGrid")


def test_each_folder_is_a_speaker_and_loose_files_are_one(tmp_path: Path) -> None:
    for place in ("bea", "ann", "ann/deeper", ".hidden"):
        (tmp_path / place).mkdir(parents=True)
        corpus(tmp_path / place, y="0.5 H*", x="0.5 L*")
    corpus(tmp_path, z="")
    (tmp_path / "._z.wav").touch()
    (tmp_path / "ann" / "x.wav").rename(tmp_path / "ann" / "x.WAV")
    (tmp_path / "ann" / "x.TextGrid").rename(tmp_path / "ann" / "x.textgrid")
    found = recordings(tmp_path)
    assert [(r.speaker, r.stem) for r in found] == [(".", "z"), ("ann", "x"), ("ann", "y"), ("bea", "x"), ("bea", "y")]
    assert found[1].wav == tmp_path / "ann" / "x.WAV"
    assert found[1].words == (Mark(0, 1, "one"), Mark(1, 2, "two"))
    assert found[1].tones == (Tone(0.5, "L*"),)


def test_tiers_are_found_by_name_and_tones_may_be_intervals(tmp_path: Path) -> None:
    points = Tier("Word", True, (Mark(0, 0, "no word"),))
    words = Tier(" ORTH ", False, (Mark(0, 1, "one"), Mark(1, 2, " "), Mark(2, 3, "two ")))
    tones = Tier("ToBI", False, (Mark(0, 1, ""), Mark(1, 2, "H*")))
    write_textgrid(tmp_path / "a.TextGrid", TextGrid(0, 3, (points, tones, words)))
    (tmp_path / "a.wav").touch()
    (found,) = recordings(tmp_path)
    assert found.words == (Mark(0, 1, "one"), Mark(2, 3, "two"))
    assert found.tones == (Tone(1.5, "H*"),)


def test_what_a_corpus_lacks_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"there is no folder .*nowhere"):
        recordings(tmp_path / "nowhere")
    with pytest.raises(FileError, match=r"has no WAV file; put recordings in it.*NAME\.TextGrid"):
        recordings(tmp_path)
    (tmp_path / "a.wav").touch()
    with pytest.raises(FileError, match=r"a\.wav' has no TextGrid; put a\.TextGrid beside it"):
        recordings(tmp_path)
    words, phones = Tier("words", False, ()), Tier("phones", False, ())
    write_textgrid(tmp_path / "a.TextGrid", TextGrid(0, 1, (words, phones)))
    with pytest.raises(FileError, match="no point tier tones or tone or tobi or accents, only 'words', 'phones'; name"):
        recordings(tmp_path)
    write_textgrid(tmp_path / "a.TextGrid", TextGrid(0, 1, ()))
    with pytest.raises(FileError, match=r"no interval tier words .*, only none"):
        recordings(tmp_path)


@pytest.mark.parametrize(
    ("label", "accent"),
    [
        ("H*", "H*"), ("!H*", "H*"), ("L*", "L*"), ("L+H*", "L+H*"), ("L+!H*", "L+H*"), ("L*+H", "L*+H"),
        ("L*+!H", "L*+H"), ("H+!H*", "H+!H*"), ("H* L-L%", "H*"), ("L-  !H*", "H*"),
    ],
)  # fmt: skip
def test_downstepped_accents_count_as_plain_ones(label: str, accent: str) -> None:
    (word,) = accented_words(spoken((2.5, label))).words
    assert word == (2, 2.0, 3.0, "two", accent)


@pytest.mark.parametrize("label", ["L-", "H-", "!H-", "L-L%", "H-H%", "%H", "-?", "%?", "HiF0", "<"])
def test_boundary_tones_are_no_accents(label: str) -> None:
    assert accented_words(spoken((2.5, label))) == ((), Counter())


@pytest.mark.parametrize(
    ("time", "label", "reason"),
    [
        (2.5, "*?", "uncertain"),
        (2.5, "X*?", "uncertain"),
        (2.5, "L+H*?", "uncertain"),
        (2.5, "*", "of an unknown kind"),
        (2.5, "H+L*", "of an unknown kind"),
        (0.5, "H*", "outside any word"),
        (3.5, "H*", "outside any word"),
    ],
)
def test_doubtful_accents_are_left_out_and_counted(time: float, label: str, reason: str) -> None:
    assert accented_words(spoken((time, label))) == ((), Counter({reason: 1}))


def test_a_word_has_its_first_accent_and_a_border_belongs_to_the_word_that_starts_there() -> None:
    found = accented_words(spoken((2.0, "L*"), (2.1, "*?"), (2.2, "H*"), (3.0, "L-L%"), (5.0, "H*")))
    assert [(word.text, word.accent) for word in found.words] == [("two", "L*"), ("three", "H*")]
    assert found.left_out == Counter({"uncertain": 1, "after another in the same word": 1})


def test_a_corpus_needs_accents_of_two_kinds(tmp_path: Path) -> None:
    two = corpus_accents(recordings(corpus(tmp_path, a="0.5 H*", b="0.5 L-, 1.5 L*")))
    assert [[word.accent for word in found.words] for found in two] == [["H*"], ["L*"]]
    expected = "all 2 accents are H*, 1 uncertain left out; label accents of at least two kinds."
    with pytest.raises(KaratError, match=re.escape(expected)):
        corpus_accents(recordings(corpus(tmp_path, a="0.5 H*", b="0.5 *?, 1.5 !H*")))
    with pytest.raises(KaratError, match="no word has a pitch accent of a known kind, 1 uncertain left out; label 'H"):
        corpus_accents(recordings(corpus(tmp_path, a="", b="0.5 *?")))


def test_intervals_are_tiled_with_empty_ones() -> None:
    words = [Mark(1, 2, "a"), Mark(2, 3, "b"), Mark(4, 5, "c")]
    filled = [Mark(0, 1, ""), *words[:2], Mark(3, 4, ""), words[2], Mark(5, 6, "")]
    assert tiled(words, 0, 6) == tuple(filled)
    assert tiled(filled, 0, 6) == tuple(filled)
