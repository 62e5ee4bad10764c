"""Builds the compiled kernels; where that fails, karat installs all the same and counts with NumPy."""

import os
import shutil
import sys
from pathlib import Path
from sysconfig import get_config_var
from typing import Any

from setuptools import setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

KERNELS = "src/karat/kernels/compiled/[a-z]*.py"


def extensions() -> list[Any]:
    """One extension module for each file of kernels, translated to C."""
    try:
        from Cython.Build import cythonize

        modules = cythonize(sorted(map(str, Path().glob(KERNELS))), build_dir="build/cython", quiet=True)
    except Exception as problem:
        warn(problem)
        return []
    for module in modules:  # no fused multiply-add: its one rounding would differ from NumPy's two
        precise = ["/fp:precise"] if sys.platform == "win32" else ["-O3", "-g0", "-fno-fast-math", "-ffp-contract=off"]
        module.extra_compile_args = precise
    return list(modules)


class OptionalBuild(build_ext):
    """A build that goes on without what could not be compiled (Extension.optional catches only some failures)."""

    def finalize_options(self) -> None:
        """Compile on all cores."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def run(self) -> None:
        """Build what can be built; what an earlier build has left is taken away first, lest it be used instead."""
        home = Path("src") if self.inplace or self.editable_mode else Path(self.build_lib)
        try:
            for old in home.glob(f"karat/kernels/compiled/*{get_config_var('EXT_SUFFIX')}"):
                old.unlink()
            super().run()
        except Exception as problem:
            warn(problem)
            self.extensions = []


class FreshBuild(build_py):
    """A build of the modules that there are now, without those of an earlier one in build/."""

    def run(self) -> None:
        """Start from an empty folder."""
        if not self.editable_mode:
            shutil.rmtree(Path(self.build_lib) / "karat", ignore_errors=True)
        super().run()


def warn(problem: Exception) -> None:
    """Say what is lost; for a release, where nothing should be, KARAT_REQUIRE_KERNELS=1 makes it an error."""
    if os.environ.get("KARAT_REQUIRE_KERNELS"):
        raise problem
    print(
        f"karat's compiled kernels were not built ({problem}); it will use NumPy instead: the same numbers, 2 to 10 "
        "times slower at counting and up to 200 times at AMI, one-to-one maps and simulations.",
        file=sys.stderr,
    )


setup(ext_modules=extensions(), cmdclass={"build_ext": OptionalBuild, "build_py": FreshBuild})
