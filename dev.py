"""Set up karat in a virtual environment of its own (.venv) and run it: python3 dev.py example | test | docs | bench.

Needs only Python 3.11 or newer with venv and pip, so it also works where the system's Python is managed externally.
"""

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
HOME = ROOT / ".venv"
BIN = HOME / ("Scripts" if os.name == "nt" else "bin")
BUILT_FROM = [ROOT / "pyproject.toml", ROOT / "setup.py", *sorted(ROOT.glob("src/karat/kernels/compiled/*.p*"))]

TEST = [
    ["ruff", "check", "."],
    ["ruff", "format", "--check", "."],
    ["mypy"],
    ["pytest", "-n", "auto", "--dist", "worksteal"],
]


def set_up(extra: str) -> None:
    """Make the environment and install karat in it, unless that has been done for these sources of the build."""
    stamp = HOME / f"karat-{extra or 'plain'}"
    wanted = hashlib.sha256(b"".join(path.read_bytes() for path in BUILT_FROM)).hexdigest()
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    print("Installing karat into .venv (once; it takes a minute or two) ...", file=sys.stderr, flush=True)
    if not (BIN / "python").exists() and not (BIN / "python.exe").exists():
        venv.create(HOME, with_pip=True)
    package = f".[{extra}]" if extra else "."
    run(["python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--editable", package])
    stamp.write_text(wanted)


def run(command: list[str]) -> None:
    """Run a program of the environment; stop with its exit status if it fails."""
    status = subprocess.call([str(BIN / command[0]), *command[1:]], cwd=ROOT)
    if status:
        sys.exit(status)


def main() -> None:
    """The things one does in a fresh clone."""
    if sys.version_info < (3, 11):
        sys.exit(f"karat needs Python 3.11 or newer; this is {sys.version.split()[0]}.")
    command = sys.argv[1] if len(sys.argv) == 2 else ""
    if command == "example":
        set_up("report")
        run(["karat", "example"])
    elif command == "test":
        set_up("test")
        for step in TEST:
            run(step)
    elif command == "docs":
        set_up("docs")
        os.environ["NO_MKDOCS_2_WARNING"] = "1"
        run(["mkdocs", "build", "--strict"])  # tests/project/test_site.py does it too
        print(f"The documentation is in {ROOT / 'site' / 'index.html'}")
    elif command == "bench":
        set_up("bench")
        run(["python", "bench/speed.py"])
        run(["python", "bench/files.py"])
        run(["python", "bench/simulation.py"])
        run(["python", "bench/intervals.py"])
        run(["python", "bench/engines.py"])
    else:
        sys.exit("usage: python3 dev.py example | test | docs | bench")


if __name__ == "__main__":
    main()
