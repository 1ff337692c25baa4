"""The one thing pyproject.toml cannot say: how the kernel and what stands beside it are compiled."""

import os
import sys

from Cython.Build import cythonize
from setuptools import Extension, setup

# `make asan` sets TRUERANK_SANITIZE=address to build the kernel under AddressSanitizer.
sanitize = os.environ.get("TRUERANK_SANITIZE")
quick = "-O0" in os.environ.get("CFLAGS", "").split()  # for who wants it compiled soon, and not fast
flags = [f"-fsanitize={sanitize}", "-O1", "-g"] if sanitize else ["-O0" if quick else "-O3"]

compiled = [
    Extension(
        f"truerank.core.{name}",
        [f"src/truerank/core/{name}.pyx"],
        depends=depends,
        extra_compile_args=[] if os.name == "nt" else flags,
        extra_link_args=[f"-fsanitize={sanitize}"] if sanitize else [],
    )
    for name, depends in {
        "_kernel": [
            f"src/truerank/core/{name}"
            for name in (
                "_aside.pxi",
                "_bytes.h",
                "_ids.pxd",
                "_judged.pxi",
                "_lines.pxi",
                "_names.pxd",
                "_qrels.pxi",
                "_ranking.pxd",
                "_thresholds.pxi",
            )
        ],
        "_names": ["src/truerank/core/_bytes.h", "src/truerank/core/_ids.pxd", "src/truerank/core/_names.pxd"],
        "_rows": [f"src/truerank/core/{name}" for name in ("_bytes.h", "_ids.pxd", "_spelling.pxd")],
        "_counting": [],
    }.items()
]
is_source = "sdist" in sys.argv  # of which nothing is compiled
setup(ext_modules=compiled if is_source else cythonize(compiled, language_level=3))
