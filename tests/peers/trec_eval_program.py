"""trec_eval itself, compiled: pyserini's source distribution has a jar, and that a program for each system.

python tests/peers/trec_eval_program.py FILE
"""

from __future__ import annotations

import io
import platform
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "pyserini==1.6.0"

PROGRAMS = {
    ("Linux", "x86_64"): "linux-amd64",
    ("Darwin", "x86_64"): "macosx-x86_64",
    ("Darwin", "arm64"): "macosx-aarch64",
}
"""By system and machine; version 9.0.4 of trec_eval."""


def program() -> bytes:
    """The program for this machine.

    Raises:
        SystemExit: there is none.
    """
    ending = PROGRAMS.get((platform.system(), platform.machine()))
    if ending is None:
        sys.exit(f"there is no compiled trec_eval for {platform.system()} on {platform.machine()}")
    with tempfile.TemporaryDirectory() as folder:
        wanted = ["--no-deps", "--no-binary", "pyserini", "--dest", folder, PACKAGE]
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", *wanted], check=True)
        (archive,) = Path(folder).glob("*.tar.gz")
        with tarfile.open(archive) as files:
            jar = next(files.extractfile(each) for each in files if each.name.endswith("-fatjar.jar"))
            assert jar is not None  # a file
            with zipfile.ZipFile(io.BytesIO(jar.read())) as members:
                return members.read(f"trec_eval/trec_eval-{ending}")


def main() -> None:
    path = Path(sys.argv[1])
    path.write_bytes(program())
    path.chmod(0o755)


if __name__ == "__main__":
    main()
