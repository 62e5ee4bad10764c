"""Write what the commands shown in README.md and in docs print below them: python docs/replay.py

Each ```console block of karat commands is run in docs/examples. A test checks that the pages are fresh.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"```console\n(.*?)```", flags=re.DOTALL)


def replayed(page: str) -> str:
    """The page with every command's output as it is now; commands of dev.py are left alone."""
    return BLOCK.sub(lambda block: f"```console\n{_again(block[1])}```", page)


def _again(block: str) -> str:
    commands = [line for line in block.split("\n") if line.startswith("$ ")]
    if not any("karat" in command for command in commands):
        return block
    return "".join(f"{command}\n{_output(command.removeprefix('$ '))}" for command in commands)


def _output(command: str) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": path, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        ["bash", "-c", command], cwd=ROOT / "docs" / "examples", env=environment, text=True, encoding="utf-8",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    return done.stdout


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(replayed(path.read_text(encoding="utf-8")), encoding="utf-8")
