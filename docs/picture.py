"""Take the picture of a report that README.md shows, docs/report.png: python docs/picture.py (needs Chromium)."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import karat

HERE = Path(__file__).resolve().parent
FILES = ("gold.csv", "kmeans.csv", "hdbscan.csv")
SIZE = {"width": 1200, "height": 660}


def main() -> None:
    """The upper part of the page about the example's two systems."""
    page = karat.report(karat.read(*(str(HERE / "examples" / name) for name in FILES), items=True))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path = Path(folder) / "report.html"
        page.save(path)
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        opened = browser.new_page(viewport=SIZE, color_scheme="light")
        opened.goto(path.as_uri())
        opened.screenshot(path=HERE / "report.png")
        browser.close()


if __name__ == "__main__":
    main()
