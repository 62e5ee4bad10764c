"""The rooms of the house: what may import what, and how light the door is."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import karat

SOURCE = Path(karat.__file__).parent

# Each room may import only from rooms above it.
ROOMS = [
    "version", "errors", "foreign", "limits", "temporary", "rendering", "frames", "result", "bars", "caches",
    "programs", "kernels", "labels",
    "profile", "entropies", "counts", "matrices", "storage", "tables", "systems", "stack", "trivial", "nulls",
    "moments", "arithmetic", "syntax", "registry", "parsing", "measures", "chance", "p_values",
    "uncertainty", "engines", "files", "scoring", "cards", "explanations", "comparisons", "relations",
    "plot", "meta", "reports", "synth", "datasets", "corpora", "papers", "examples", "sklearn", "app", "cli",
]  # fmt: skip


def room(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("karat."):
            found.add(node.module.split(".")[1])
        if isinstance(node, ast.ImportFrom) and node.module == "karat":
            found |= {name.name for name in node.names if name.name in ROOMS}
        if isinstance(node, ast.Import):
            found |= {name.name.split(".")[1] for name in node.names if name.name.startswith("karat.")}
    return found


FILES = [p for p in SOURCE.rglob("*.py") if p.name not in ("__init__.py", "__main__.py") or p.parent != SOURCE]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_point_upwards(path: Path) -> None:
    above = ROOMS[: ROOMS.index(room(path)) + 1]
    assert imports(path) <= set(above)


def test_every_room_is_in_the_list() -> None:
    assert {room(p) for p in FILES} == set(ROOMS)


def test_no_measure_hides_a_room_or_a_public_name() -> None:
    names = {m.name for m in karat.list_measures()}
    assert not names & {*ROOMS, *karat._HOMES, *karat._MODULES}


HEAVY = ("numpy", "scipy", "duckdb", "narwhals", "pandas", "polars", "pyarrow", "rich")


HELP = "from karat.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass"


@pytest.mark.parametrize("code", ["import karat", "import karat.cli; karat.__version__", HELP])
def test_the_door_is_light(code: str) -> None:
    check = f"{code}\nimport sys\nheavy = [m for m in {HEAVY} if m in sys.modules]\nassert not heavy, heavy"
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
