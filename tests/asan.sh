#!/bin/sh
# Builds the kernel under AddressSanitizer and UndefinedBehaviorSanitizer, away from the checkout, and runs the
# fuzzer (FUZZ_SECONDS=20) and the kernel's tests on that build. Any finding ends it with a status other than 0.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-$PWD/.venv/bin/python}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# A copy without what was built before: nothing of an ordinary build may be reused.
mkdir "$work/source"
cp -R pyproject.toml setup.py LICENSE README.md src "$work/source"
rm -rf "$work"/source/src/*.egg-info "$work"/source/src/truerank/core/kernel/*.so "$work"/source/src/truerank/core/kernel/*.c
echo "building under AddressSanitizer and UndefinedBehaviorSanitizer" >&2
TRUERANK_SANITIZE=address,undefined "$python" -m pip install --quiet --no-deps --target "$work/site" "$work/source"

# The interpreter itself is not instrumented: the runtime must be there before it, and its own leaks do not count. The
# runtime of C++ too: pyarrow throws, and the sanitizer looks for what it wraps when it starts.
export LD_PRELOAD="$(${CC:-cc} -print-file-name=libasan.so) $(${CC:-cc} -print-file-name=libstdc++.so.6)"
export ASAN_OPTIONS=detect_leaks=0:abort_on_error=0:allocator_may_return_null=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export PYTHONMALLOC=malloc PYTHONPATH="$work/site"
"$python" - "$work/site" <<'CHECK'
import sys
from truerank.core.kernel import counting, drawing, names, pages, rows, scanning
for compiled in (counting, drawing, names, pages, rows, scanning):
    if not compiled.__file__.startswith(sys.argv[1]):
        sys.exit(f"the instrumented code is not the one in use: {compiled.__file__}")
CHECK
"$python" tests/fuzz.py --seconds "${FUZZ_SECONDS:-20}"
"$python" -m pytest -q -p no:cacheprovider tests/core/test_kernel.py tests/core/test_counting.py tests/core/test_drawing.py tests/core/test_rows.py \
    tests/formats/test_parquet_pages.py
