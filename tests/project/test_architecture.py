"""The rooms of the house: what may import what, and how light the door is."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import karat
from karat.tables.counts import Statistic
from shared import ROOT

SOURCE = Path(karat.__file__).parent

ROOMS: list[str] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["karat"]["rooms"]
FILES = [p for p in SOURCE.rglob("*.py") if p.parent != SOURCE or p.name not in ("__init__.py", "__main__.py")]
FILES = [p for p in FILES if "compiled" not in p.parts]
ASKED_FOR = {  # imports by name from a room above, with the reason
    ("output/layout.py", "plot"): "a result draws itself, and a notebook that shows it asks for its pictures",
}


def room(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def modules(path: Path, *, at_start: bool = False) -> set[str]:
    """The modules of karat that a file imports, also by a text; at_start: only those that loading it needs."""
    found = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = list(_loaded(tree)) if at_start else list(ast.walk(tree))
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("karat"):
            found |= {f"{node.module}.{name.name}" for name in node.names} | {node.module}
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names if name.name.startswith("karat.")}
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "import_module":
            texts = [part.value for arg in node.args for part in ast.walk(arg) if isinstance(part, ast.Constant)]
            found |= {text for text in texts if isinstance(text, str) and text.startswith("karat.")}
    return found


def _loaded(tree: ast.AST) -> Iterator[ast.AST]:
    """The statements that run when a module is loaded, without what is for type checkers only."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        yield from _loaded(node)


def rooms_of(path: Path) -> set[str]:
    parts = {name.split(".")[1] for name in modules(path) if name.count(".")}
    own = str(path.relative_to(SOURCE))
    return {part for part in parts if part in ROOMS and (own, part) not in ASKED_FOR}


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_point_to_rooms_before(path: Path) -> None:
    assert rooms_of(path) <= set(ROOMS[: ROOMS.index(room(path)) + 1])


def test_every_room_is_in_the_list() -> None:
    assert {room(p) for p in FILES} == set(ROOMS)


@pytest.mark.parametrize("name", sorted({p.parent for p in FILES if p.parent != SOURCE}), ids=lambda p: p.name)
def test_files_of_a_room_do_not_need_each_other(name: Path) -> None:
    """Within a room too, imports point one way: no file needs one that needs it, when they are loaded."""
    files = {p.stem: p for p in FILES if p.parent == name and p.name != "__init__.py"}
    prefix = "karat." + ".".join(name.relative_to(SOURCE).parts) + "."
    needs = {
        stem: {m.removeprefix(prefix).split(".")[0] for m in modules(path, at_start=True) if m.startswith(prefix)}
        for stem, path in files.items()
    }
    done: set[str] = set()
    while len(done) < len(files):
        free = {stem for stem in files if stem not in done and needs[stem] & set(files) <= done | {stem}}
        assert free, {stem: needs[stem] & set(files) - done for stem in files if stem not in done}
        done |= free


def test_every_room_says_what_is_in_it() -> None:
    for folder in sorted({p.parent for p in FILES if p.parent != SOURCE}):
        told = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
        lacking = [p.name for p in folder.glob("*.py") if p.name != "__init__.py" and p.stem not in told]
        families = folder.name in ("measures", "methods", "pictures", "studies", "corpora", "formats")
        assert told, folder
        assert families or not lacking, (folder.name, lacking)


def test_no_measure_hides_a_room_or_a_public_name() -> None:
    names = {m.name for m in karat.list_measures()}
    assert not names & {*ROOMS, *karat._HOMES, *karat._MODULES}


def test_only_measures_know_particular_statistics() -> None:
    """Everyone else asks the Statistics of a measure, whichever they are."""
    karat.list_measures()
    statistics = {kind.__name__ for kind in subclasses(Statistic) if kind.__module__.startswith("karat.")}
    assert {"Pairs", "Entropies", "Labelings"} <= statistics  # the measures are loaded
    named = {
        (str(path.relative_to(SOURCE)), name)
        for path in FILES
        if room(path) != "measures"
        for name in {module.split(".")[-1] for module in modules(path) if module.startswith("karat.measures.")}
        if name in statistics
    }
    assert not named


def subclasses(kind: type) -> Iterator[type]:
    for sub in kind.__subclasses__():
        yield sub
        yield from subclasses(sub)


HEAVY = ("numpy", "scipy", "duckdb", "narwhals", "pandas", "polars", "pyarrow", "rich")


HELP = "from karat.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass"


@pytest.mark.parametrize("code", ["import karat", "import karat.cli; karat.__version__", HELP])
def test_the_door_is_light(code: str) -> None:
    check = f"{code}\nimport sys\nheavy = [m for m in {HEAVY} if m in sys.modules]\nassert not heavy, heavy"
    subprocess.run([sys.executable, "-c", check], check=True, capture_output=True)


def test_file_formats_and_options_of_reading_are_declared_without_loading_a_library() -> None:
    code = "from karat.sources.files import options, registry; registry.formats(), options.parameters()"
    heavy = (*HEAVY, "h5py", "dataclasses")  # which takes as long to load as argparse
    check = f"{code}\nimport sys\nheavy = [m for m in {heavy} if m in sys.modules]\nassert not heavy, heavy"
    subprocess.run([sys.executable, "-c", check], check=True, capture_output=True)


def test_scoring_lists_does_not_load_data_frame_libraries() -> None:
    frames = {"pandas", "polars", "pyarrow", "duckdb", "narwhals"}
    check = f"import karat, sys\nkarat.score([0, 1], [0, 1])\nassert not {frames} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", check], check=True, capture_output=True)


def test_every_public_name_is_there() -> None:
    for name in dir(karat):
        assert getattr(karat, name) is not None
    assert {"score", "Table", "ari", "measure"} <= set(dir(karat))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        karat.nothing  # noqa: B018
    with pytest.raises(AttributeError):
        karat._nothing  # noqa: B018


def test_type_checkers_see_the_public_names() -> None:
    tree = ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {
        alias.asname for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names if alias.asname
    }
    assert seen == set(karat.__all__)
