"""Trees read from three formats, cleaned, and made continuous; all sentences are made up."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.errors import FileError
from karat.papers.corpora.penn import bracketed_trees
from karat.papers.corpora.treebanks import trees_in
from karat.papers.corpora.trees import Leaf, Node, Tree, cleaned, leaves

BRACKETS = """
( (S (NP-SB (ART Der) (NN Hund))
     (VVFIN bellt) ($, ,)
     (PP (APPR im) (NN Garten)) ($. .)) )
"""
EXPORT_3 = """%% made up
#FORMAT 3
#BOT ORIGIN
0\tnowhere
#EOT ORIGIN
#BOS 7 0 0 0 %% a note
Der\t\tART\t--\tNK\t500
Hund\t\tNN\t--\tNK\t500\tSB\t502
bellt\t\tVVFIN\t--\tHD\t502
,\t\t$,\t--\t--\t0
im\t\tAPPR\t--\tAC\t501
Garten\t\tNN\t--\tNK\t501\t%% a note
.\t\t$.\t--\t--\t0
#500\t\tNP\t--\tSB\t502
#501\t\tPP\t--\tMO\t502
#502\t\tS\t--\t--\t0
#EOS 7
"""
EXPORT_4 = EXPORT_3.replace("FORMAT 3", "FORMAT 4").replace("\t\t", "\tlemma\t")
TIGER = """<?xml version="1.0" encoding="utf-8"?>
<corpus id="made-up"><head/><body>
<s id="s7"><graph root="s7_502">
<terminals>
<t id="s7_1" word="Der" pos="ART"/><t id="s7_2" word="Hund" pos="NN"><secedge label="SB" idref="s7_501"/></t>
<t id="s7_3" word="bellt" pos="VVFIN"/><t id="s7_4" word="," pos="$,"/>
<t id="s7_5" word="im" pos="APPR"/><t id="s7_6" word="Garten" pos="NN"/><t id="s7_7" word="." pos="$."/>
</terminals>
<nonterminals>
<nt id="s7_500" cat="NP"><edge label="NK" idref="s7_1"/><edge label="NK" idref="s7_2"/></nt>
<nt id="s7_501" cat="PP"><edge label="AC" idref="s7_5"/><edge label="NK" idref="s7_6"/></nt>
<nt id="s7_502" cat="S"><edge label="HD" idref="s7_3"/><edge label="SB" idref="s7_500"/>
<edge label="MO" idref="s7_501"/></nt>
</nonterminals></graph></s>
</body></corpus>
"""
CLEANED = "(S (NP (ART Der) (NN Hund)) (VVFIN bellt) (PP (APPR im) (NN Garten)))"


@pytest.fixture
def read(tmp_path: Path):  # type: ignore[no-untyped-def]
    """The trees of a file with this content, as text."""

    def trees(content: str | bytes) -> list[str]:
        path = tmp_path / "file"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return [str(tree) for tree in trees_in(path)]

    return trees


def clean(text: str) -> str:
    return " ".join(str(cleaned(tree)) for tree in bracketed_trees(text, "text"))


@pytest.mark.parametrize("content", [BRACKETS, EXPORT_3, EXPORT_4, TIGER])
def test_the_same_sentence_in_any_format_gives_the_same_tree(tmp_path: Path, content: str) -> None:
    path = tmp_path / "file.txt"
    for text in (content, content.replace("\n", "\r\n"), "\ufeff" + content):
        path.write_bytes(text.encode())
        assert [str(cleaned(tree)) for tree in trees_in(path)] == [CLEANED]


def test_directories_are_read_in_order_and_other_files_passed_over(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "1.xml").write_text(TIGER)
    (tmp_path / "a.mrg").write_text("(X (A a) (B b))(Y (A a) (B b))")
    (tmp_path / "README").write_text("(c) nobody")
    (tmp_path / "other.xml").write_text("<?xml version='1.0'?><words><s/></words>")
    (tmp_path / "picture").write_bytes(bytes(range(256)))
    assert [tree.label for tree in map(cleaned, trees_in(tmp_path)) if isinstance(tree, Node)] == ["X", "Y", "S"]


def test_punctuation_traces_and_currency_are_left_out() -> None:
    penn = "(S (`` ``) (NP (-NONE- *T*-1)) (VP (VB pay) (NP ($ $) (CD 5) (-NONE- *U*))) (-RRB- -RRB-) (: --) (POS ''))"
    assert clean(penn) == "(VB pay) (CD 5)".join(["(S ", ")"])
    assert clean("(IP (NP (-NONE- *pro*)) (VP (VV zou) (NN lu)) (PU 。))") == "(IP (VV zou) (NN lu))"
    assert clean("(S (NN a) ($-LRB- -) ($*LRB* -) (S-SB *T1*) (NN b))") == "(S (NN a) (NN b))"
    assert clean("(S (NP (-NONE- *)) (. .))") == "None"


def test_of_unary_chains_the_topmost_node_stays_and_over_one_word_none() -> None:
    assert clean("(S (VP (NP-SBJ-1 (NN a) (NN b))))") == "(S (NN a) (NN b))"
    assert clean("(S (NP=2 (QP (CD a) (CD b)) (. .)) (NP (NN c)))") == "(S (NP (CD a) (CD b)) (NN c))"
    assert clean("(TOP (S (NN a)))") == "(NN a)"


def test_wrappers_over_one_tree_go_and_over_several_are_top() -> None:
    inner = "(S (NN a) (NN b))"
    for wrapper in ("", "TOP", "ROOT", "VROOT"):
        assert clean(f"({wrapper} {inner} (. .))") == inner
        assert clean(f"({wrapper} ({wrapper} {inner}))") == inner
        assert clean(f"({wrapper} {inner} (UH c))") == f"(TOP {inner} (UH c))"


def test_brackets_stand_between_sgml_lines_and_comments(read) -> None:  # type: ignore[no-untyped-def]
    lines = "<DOC>\n<DATE>today</DATE>\n<S ID=1>\n( (IP (NN 狗) (VV 叫)) )\n</S>\n%% Sent 2\n(IP (NN a)(NN b)) </S>\n"
    expected = ["( (IP (NN 狗) (VV 叫)))", "(IP (NN a) (NN b))"]
    assert read(lines) == expected
    assert read(lines.encode("gb18030")) == expected


def test_latin_1_and_spaces_beyond_ascii_are_read(read) -> None:  # type: ignore[no-untyped-def]
    assert read("(NP (ADJA schöne) (NN Tür))".encode("latin-1")) == ["(NP (ADJA schöne) (NN Tür))"]
    assert read("(NP (NN a\u3000b) (NN \u3000))") == ["(NP (NN a\u3000b) (NN \u3000))"]
    assert read(EXPORT_3.replace("Hund", "Köter").encode("latin-1"))[0].count("Köter") == 1


def exported(*lines: str) -> str:
    return "\n".join(["#BOS 1", *(line.replace(" ", "\t") for line in lines), "#EOS 1", ""])


def test_what_a_gap_parts_from_the_head_is_raised(read) -> None:  # type: ignore[no-untyped-def]
    words = ["a A -- MO 500", "b B -- MO 500", "c C -- HD 501", "d D -- {} 500"]
    nodes = ["#500 VP -- OC 501", "#501 S -- -- 0"]
    gap = exported(*words, *nodes)
    assert read(gap.format("HD")) == ["(VROOT (S (A a) (B b) (C c) (VP (D d))))"]
    assert read(gap.format("OA")) == ["(VROOT (S (VP (A a) (B b)) (C c) (D d)))"]  # the largest block
    assert read(gap.format("OA").replace("b\tB\t--\tMO\t500", "b\tB\t--\tMO\t501"))[0].count("(VP (A a))") == 1


def test_raised_material_is_no_head_and_can_be_raised_again(read) -> None:  # type: ignore[no-untyped-def]
    lines = ["e E -- MO 501", "a A -- HD 500", "b B -- HD 502", "d D -- HD 500", "#500 X -- MO 501", "#501 Y -- OC 502"]
    assert read(exported(*lines, "#502 Z -- -- 0")) == ["(VROOT (Z (Y (E e) (X (A a))) (B b) (D d)))"]


def test_punctuation_makes_no_gap_and_loose_words_hang_under_the_root(read) -> None:  # type: ignore[no-untyped-def]
    lines = [
        "a A -- -- 500",
        ", $, -- -- 0",
        "b B -- -- 500",
        "c C -- -- 0",
        "( $( -- -- 0",
        "#500 X -- -- 0",
        "#501 Y -- -- 0",
    ]
    assert read(exported(*lines)) == ["(VROOT (X (A a) ($, ,) (B b)) (C c) ($-LRB- -LRB-))"]


def test_tiger_tolerates_several_roots_no_root_and_namespaces(read) -> None:  # type: ignore[no-untyped-def]
    several = TIGER.replace('<edge label="MO" idref="s7_501"/>', "").replace('root="s7_502"', "")
    expected = "(VROOT (S (NP (ART Der) (NN Hund)) (VVFIN bellt)) ($, ,) (PP (APPR im) (NN Garten)) ($. .))"
    assert read(several) == [expected]
    assert read(several.replace("<corpus", "<corpus xmlns='urn:tiger'")) == [expected]
    assert read('<!DOCTYPE corpus SYSTEM "none.dtd">' + TIGER.partition("?>")[2]) == read(TIGER)


ONE = exported("a A -- -- 500", "#500 X -- -- 0")
DEEP = exported("a A -- -- 501", *(f"#{n} X -- -- {n + 1}" for n in range(501, 900)), "#900 X -- -- 0")
BOMB = '<!DOCTYPE s [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><s id="1">&b;</s>'

MALFORMED = [
    ("(S (NN a)\n(NN b)", "line 1 of .* brackets that never close \\(1 at the end"),
    ("(S (NN a))\n(S (NN b)))", r"line 2 of .* has '\)' outside brackets"),
    ("(S (NN a))\nstray", "line 2 of .* has 'stray' outside brackets"),
    ("(S (NN a)\n(NN b c))", "line 2 of .* neither"),
    ("(S (NN a) ())", "line 1 of .* neither"),
    ("(X " * 300, "201 brackets deep"),
    (ONE.replace("\t500", "\t501"), "sentence 1 of .* has 'a' under '501', which is no node"),
    (ONE.replace("\t500", ""), "line 2 of .* has no number of a parent"),
    (ONE.replace("\t0", "\t500"), "sentence 1 of .* has node '500' inside itself"),
    (ONE.replace("#EOS", "#500\tX\t--\t--\t0\n#EOS"), "line 4 of .* a second time"),
    (ONE.partition("#EOS")[0], "sentence 1 of .* has no #EOS"),
    (ONE.replace("#EOS 1", "#BOS 2"), "line 4 of .* has #BOS"),
    (ONE + "#EOS 1", "line 5 of .* has #EOS"),
    (DEEP, "sentence 1 of .* deep"),
    ("#BOS 1\n#EOS 1\n", "has no tree"),
    (TIGER.replace("</graph>", ""), "not well-formed XML in line 14"),
    (TIGER.replace('"MO" idref="s7_501"', '"MO" idref="s7_9"'), "sentence 's7' of .* refers to 's7_9'"),
    (TIGER.replace('"MO" idref="s7_501"', '"MO" idref="s7_2"'), "sentence 's7' of .* two parents for 's7_2'"),
    (TIGER.replace('"NK" idref="s7_6"', '"NK" idref="s7_502"'), "sentence 's7' of .* inside itself"),
    (TIGER.replace('id="s7_6"', 'id="s7_5"', 1), "sentence 's7' of .* same id twice"),
    (TIGER.replace('pos="ART"', ""), "sentence 's7' of .* <t> without pos"),
    (BOMB, "DOCTYPE with declarations"),
    (BOMB.replace("<!DOCTYPE s", '<!DOCTYPE s PUBLIC "ab" "c>d"'), "DOCTYPE with declarations"),
    (BOMB.replace("<!DOCTYPE s", "<!-- <s> --><!DOCTYPE s SYSTEM '>'"), "DOCTYPE with declarations"),
    (f"<?go <s> ?>\n{BOMB}", "DOCTYPE with declarations"),
    ("<corpus>" + "<a>" * 2000, "elements 1,001 deep"),
    (f'<corpus><s id="{"x" * 5_000_000}"/></corpus>', "has a tag or a comment of more than 4,000,000 bytes"),
    ("no trees here", "is not in Penn brackets, NEGRA export or TIGER-XML"),
    ("", "is not in Penn brackets"),
]


@pytest.mark.parametrize(("content", "message"), MALFORMED)
def test_malformed_input_is_named_in_one_sentence(read, content: str, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(FileError, match=message) as problem:
        read(content)
    text = str(problem.value)
    assert "file'" in text
    assert "; " in text
    assert text.endswith(".")
    assert "\n" not in text


def test_paths_without_trees_are_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="does not exist"):
        trees_in(tmp_path / "nothing")
    with pytest.raises(FileError, match="has no file in Penn brackets"):
        trees_in(tmp_path)


names = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters="()<%*"), min_size=1, max_size=4)
words = st.builds(Leaf, names, names)
trees = st.recursive(
    words,
    lambda inner: st.builds(Node, names | st.just(""), st.lists(inner, min_size=1, max_size=3).map(tuple)),
    max_leaves=8,
)


@settings(deadline=None)
@given(st.lists(trees, max_size=3))
def test_bracketed_trees_come_back_from_their_text(given_trees: list[Tree]) -> None:
    assert list(bracketed_trees("\n".join(map(str, given_trees)), "text")) == given_trees


@settings(deadline=None)
@given(trees)
def test_cleaning_twice_is_cleaning_once_and_leaves_no_node_over_one_tree(tree: Tree) -> None:
    once = cleaned(tree)
    assert once is None or cleaned(once) == once
    waiting = [] if once is None else [once]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Node):
            assert len(node.children) > 1
            waiting.extend(node.children)
    assert once is None or set(leaves(once)) <= set(leaves(tree))
