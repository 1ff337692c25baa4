"""The one thing pyproject.toml cannot say: how the kernel is compiled."""

import os

from Cython.Build import cythonize
from setuptools import Extension, setup

# `make asan` sets TRUERANK_SANITIZE=address to build the kernel under AddressSanitizer.
sanitize = os.environ.get("TRUERANK_SANITIZE")
flags = [f"-fsanitize={sanitize}", "-O1", "-g"] if sanitize else ["-O3"]

kernel = Extension(
    "truerank._kernel",
    ["src/truerank/_kernel.pyx"],
    depends=["src/truerank/_bytes.h", "src/truerank/_ids.pxd", "src/truerank/_ranking.pxd"],
    extra_compile_args=[] if os.name == "nt" else flags,
    extra_link_args=[f"-fsanitize={sanitize}"] if sanitize else [],
)
setup(ext_modules=cythonize([kernel], language_level=3))
