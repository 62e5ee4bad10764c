"""The tests on every Python that is installed, the documentation, and the release: nox, or nox -s release.

`python3 dev.py test` is what one runs while working; continuous integration runs .ci/run; this needs nox.
"""

import nox

nox.options.sessions = ["tests", "docs", "release"]
nox.options.reuse_existing_virtualenvs = True
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """All tests but the groups that need more packages."""
    session.install(".[test]")
    session.run("pytest", "-n", "auto", "--dist", "worksteal", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """The site, with no dead link, in site/."""
    session.install(".[docs]")
    session.run("mkdocs", "build", "--strict")


@nox.session
def release(session: nox.Session) -> None:
    """Source and wheel in dist/, built, checked and tried in an environment of their own."""
    session.install(".[test]")
    session.run("pytest", "-m", "release", "tests")
    session.run("python", "-m", "build", env={"KARAT_REQUIRE_KERNELS": "1"})
    session.run("twine", "check", "--strict", "dist/*")
