"""The registry of file formats and the options of reading: what is declared once is seen everywhere."""

from __future__ import annotations

import inspect
import runpy
from pathlib import Path
from typing import Any, get_args

import pytest

import karat
from karat.cli import main
from karat.cli.parser import parser
from karat.labels.policy import Missing, NoiseAs
from karat.sources.files.inputs import Input
from karat.sources.files.options import ReadingOptions, parameters
from karat.sources.files.registry import Columns, Format, add, formats
from shared import ROOT


def declare(read: Any, **more: Any) -> None:
    """Declare a format .clu, of which a test wants only how it is read."""
    add(Format("clu", "CLU files", "one cluster a line", "text", (".clu",), read=read, **more))


def lines(source: Input) -> Columns:
    names = Path(source.path).read_text().split()
    return Columns.of(["item", "label"], [[name[0] for name in names], [name[1:] for name in names]])


def test_a_new_format_is_known_wherever_formats_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    declare(lines, item="item", label="label")
    (tmp_path / "g.clu").write_text("a1 b1 c2")
    (tmp_path / "p").write_text("c7 b8 a8")
    assert karat.read(tmp_path / "g.clu", tmp_path / "p", input="clu").systems == ("p",)
    assert main(["score", str(tmp_path / "g.clu"), str(tmp_path / "p"), "--input", "clu", "-m", "ari", "-q"]) == 0
    assert "1.0000" in capsys.readouterr().out
    with pytest.raises(karat.FileError, match=r"'.*', 'clu', .* is no kind|did you mean clu"):
        karat.read(tmp_path / "p", input="cluu")
    assert ",clu," in help_of("score", capsys)
    assert "| CLU files | `.clu`, `--input clu` | one cluster a line | text |" in built("formats")
    from karat.reports.app.serving import _page

    assert "CLU files" in _page("token", 1)[0]


def help_of(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    return capsys.readouterr().out


def built(name: str) -> str:
    page: str = runpy.run_path(str(ROOT / "docs" / "build.py"))[name]()
    return page


def test_endings_and_first_bytes_belong_to_one_format_each() -> None:
    endings = [ending for form in formats().values() for ending in form.endings]
    magic = [start for form in formats().values() for start in form.magic]
    assert len(set(endings)) == len(endings)
    assert not [(a, b) for a in magic for b in magic if a != b and a.startswith(b)]


def test_every_format_can_be_read_and_says_what_it_is() -> None:
    for form in formats().values():
        assert form.read or form.query or form.table, form.name
        assert form.title, form.name
        assert form.about, form.name


class OddError(Exception):
    """An error of a library."""


@pytest.mark.parametrize("problem", [OddError("a\nb"), IndexError(), MemoryError(), OSError(5, "of a disk")])
def test_whatever_a_reader_raises_is_one_sentence_that_names_the_file(tmp_path: Path, problem: Exception) -> None:
    def opening(source: Input) -> Columns:
        raise problem

    def loading(source: Input) -> Columns:
        return Columns(["item", "label"], lambda name: opening(source))

    def batches(source: Input) -> Columns:
        def parts() -> Any:
            yield ["a"]
            raise problem

        return Columns(["label"], lambda name: opening(source), batches=parts)

    path = tmp_path / "a.clu"
    path.write_text("a")
    for read in (opening, loading, batches):
        declare(read)
        with pytest.raises(karat.FileError, match=r"a\.clu' cannot be read as CLU files \(.+\); check.*\.$") as raised:
            karat.read(path, path)
        assert "\n" not in str(raised.value)
        assert raised.value.__cause__ is problem


@pytest.mark.parametrize("problem", [karat.FileError("no."), KeyboardInterrupt(), NameError("x")])
def test_errors_of_karat_and_interrupts_pass(tmp_path: Path, problem: BaseException) -> None:
    def read(source: Input) -> Columns:
        raise problem

    (tmp_path / "a.clu").write_text("a")
    declare(read)
    with pytest.raises(type(problem)) as raised:
        karat.read(tmp_path / "a.clu", tmp_path / "a.clu")
    assert raised.value is problem


def test_a_format_names_the_package_that_it_needs(tmp_path: Path) -> None:
    declare(lines, needs="no_such_package")
    (tmp_path / "a.clu").write_text("a")
    with pytest.raises(karat.FileError, match=r"a\.clu' is a CLU files file; pip install no_such_package to read it"):
        karat.read(tmp_path / "a.clu", tmp_path / "a.clu")


def test_several_arrow_files_are_read_as_one(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.feather

    for name, gold in (("a", ["x", "y"]), ("b", ["x", "z", "z"])):
        pyarrow.feather.write_feather(pa.table({"gold": gold, "pred": gold}), tmp_path / f"{name}.arrow")
    (table,) = karat.read(tmp_path / "*.arrow").tables.values()
    assert table.n == 5


def test_a_pattern_of_saved_tables_is_refused(tmp_path: Path) -> None:
    for name in "ab":
        karat.Table.from_labels(["x"], ["y"]).save(tmp_path / f"{name}.json")
    with pytest.raises(karat.FileError, match="matches 2 files; give one, or merge them first"):
        karat.read(tmp_path / "*.json")


def test_the_options_of_read_are_those_that_are_declared() -> None:
    declared = {name for name, parameter in parameters().items() if not parameter.internal}
    signature = inspect.signature(karat.read)
    assert {name for name, p in signature.parameters.items() if p.kind is p.KEYWORD_ONLY} == declared
    document = str(karat.read.__doc__)
    assert all(f"\n    {name}\n" in document for name in declared)
    assert set(ReadingOptions.__annotations__) - declared == {"ids"}


def test_every_flag_is_declared_and_has_the_default_of_read() -> None:
    chosen = vars(parser("score").parse_args(["score", "a.csv"]))
    for name, parameter in parameters().items():
        if parameter.flag:
            assert chosen[name] == ([] if parameter.repeated else parameter.default), name


def test_the_choices_of_a_policy_are_those_of_its_type() -> None:
    for name, kind in (("missing", Missing), ("noise_as", NoiseAs)):
        choices = parameters()[name].choices
        assert choices is not None
        assert tuple(choices()) == get_args(kind)
        assert set(parameters()[name].words) - {""} == set(get_args(kind)) - {"raise"}


def test_an_unknown_option_of_read_is_refused_with_a_hint() -> None:
    with pytest.raises(TypeError, match=r"read\(\) has no option 'encodng'; did you mean encoding\?"):
        karat.read("a.csv", encodng="utf-8")
