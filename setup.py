"""The one thing pyproject.toml cannot say: how the kernel and what stands beside it are compiled."""

import os
import sys

from Cython.Build import cythonize
from setuptools import Extension, setup

# `make asan` sets TRUERANK_SANITIZE=address to build the kernel under AddressSanitizer.
sanitize = os.environ.get("TRUERANK_SANITIZE")
quick = "-O0" in os.environ.get("CFLAGS", "").split()  # for who wants it compiled soon, and not fast
flags = [f"-fsanitize={sanitize}", "-O1", "-g"] if sanitize else ["-O0" if quick else "-O3"]

FOLDER = "src/truerank/core/kernel"
DEPENDS = {
    "scanning": (
        *("aside.pxi", "bytes.h", "hits.pxi", "ids.pxd", "judged.pxi", "lines.pxi", "names.pxd", "qrels.pxi"),
        *("ranking.pxd", "thresholds.pxi"),
    ),
    "names": ("bytes.h", "ids.pxd", "names.pxd"),
    "rows": ("bytes.h", "ids.pxd", "spelling.pxd"),
    "counting": ("placing.h",),
    "drawing": (),
    "pages": (),
}
compiled = [
    Extension(
        f"truerank.core.kernel.{name}",
        [f"{FOLDER}/{name}.pyx"],
        depends=[f"{FOLDER}/{other}" for other in depends],
        extra_compile_args=[] if os.name == "nt" else flags,
        extra_link_args=[f"-fsanitize={sanitize}"] if sanitize else [],
    )
    for name, depends in DEPENDS.items()
]
is_source = "sdist" in sys.argv  # of which nothing is compiled
setup(
    ext_modules=compiled if is_source else cythonize(compiled, language_level=3),
    options={"build_ext": {"parallel": os.cpu_count() or 1}},
)
