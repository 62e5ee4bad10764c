"""The release: source and wheel, built from a copy of this tree, and installed where there is nothing else."""

from __future__ import annotations

import email
import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

import karat
from shared import ROOT, once

pytestmark = pytest.mark.release
LEFT = shutil.ignore_patterns(".*", "*.egg-info", "build", "dist", "site", "__pycache__", "*.so", "htmlcov")


def run(*command: object, cwd: Path, **more: str) -> str:
    environment = {**os.environ, **more}
    done = subprocess.run([*map(str, command)], cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source archive, and the wheel that was made from it."""

    def make(folder: Path) -> None:
        shutil.copytree(ROOT, folder / "tree", ignore=LEFT)
        build = sys.executable, "-m", "build", "--no-isolation", "--outdir", folder / "dist"
        run(*build, cwd=folder / "tree", KARAT_REQUIRE_KERNELS="1")

    return once(tmp_path_factory, "release", make) / "dist"


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


def test_the_archives_are_well_formed(built: Path) -> None:
    assert "PASSED" in run(sys.executable, "-m", "twine", "check", "--strict", *built.iterdir(), cwd=built)
    versions = [path.name.split("-")[1].removesuffix(".tar.gz") for path in built.iterdir()]
    assert versions == [karat.__version__] * 2


def test_the_wheel_has_what_karat_needs_and_no_more(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for needed in ("py.typed", "references.bib", "reports/templates/report.html", "reports/templates/app.js"):
        assert f"karat/{needed}" in names
    assert [name for name in names if name.endswith((".so", ".pyd"))]
    tops = {name.split("/")[0] for name in names}
    assert tops == {"karat", f"karat-{karat.__version__}.dist-info"}
    assert not [name for name in names if "test" in name.lower()]
    assert wheel.stat().st_size < 6_000_000


def test_the_metadata_names_the_extras(wheel: Path) -> None:
    (name,) = [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith("METADATA")]
    found = email.message_from_bytes(zipfile.ZipFile(wheel).read(name))
    extras = {"report", "app", "plot", "spark", "h5ad", "speech", "docs", "test"}
    assert extras <= set(found.get_all("Provides-Extra", []))
    assert found["Requires-Python"] == ">=3.11"
    assert found["Description-Content-Type"] == "text/markdown"


def test_the_source_has_tests_and_documentation(built: Path) -> None:
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.split("/", 1)[1] for name in opened.getnames() if "/" in name}
    for needed in (
        "tests/project/test_release.py",
        "docs/tour.md",
        "docs/site.css",
        "mkdocs.yml",
        "noxfile.py",
        "LICENSE",
    ):
        assert needed in names
    tracked = run("git", "ls-files", "src", cwd=ROOT).split() if (ROOT / ".git").exists() else []
    assert set(tracked) <= names


def test_a_clean_environment_runs_it(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel, cwd=tmp_path)
    assert "v_measure    ↑  0.3646" in run(python, "-m", "karat", "example", cwd=tmp_path, PYTHONUTF8="1")
    check = "import karat; print(karat.__version__, karat.build_info()['kernels'], karat.__file__)"
    version, kernels, path = run(python, "-c", check, cwd=tmp_path).split()
    assert (version, kernels) == (karat.__version__, "compiled")
    assert Path(path).is_relative_to(tmp_path)
    (tmp_path / "a.csv").write_text("gold,pred\na,1\nb,2\n")
    asked = [python, "-m", "karat", "report", "a.csv"]
    told = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (told.returncode, told.stderr.count("\n")) == (1, 1)
    assert "pip install 'karat[report]'" in told.stderr
