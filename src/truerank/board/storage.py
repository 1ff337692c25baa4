"""Files on disk: submissions under the hash of their content. No name from a client is ever part of a path."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from contextlib import suppress
from pathlib import Path

_HASH = re.compile(r"[0-9a-f]{64}")


class Storage:
    """The directory of a board service."""

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)  # one that is there may hold other things too
        for private in (folder / name for name in ("incoming", "files", "truth")):
            private.mkdir(exist_ok=True, mode=0o700)
            keep_private(private, 0o700)

    def incoming(self) -> Path:
        """Where a file may be written while it arrives."""
        return self.folder / "incoming" / secrets.token_hex(16)

    def path(self, sha256: str, kind: str = "files") -> Path:
        """Where the file with this hash is."""
        if not _HASH.fullmatch(sha256):
            raise ValueError("this is no SHA-256 in hexadecimal digits")
        return self.folder / kind / sha256[:2] / sha256

    def keep(self, arrived: Path, sha256: str, kind: str = "files") -> Path:
        """Move what arrived to its place, so that it is there after a power failure too."""
        path = self.path(sha256, kind)
        path.parent.mkdir(exist_ok=True, mode=0o700)
        arrived.replace(path)
        for folder in (path.parent, path.parent.parent):
            _sync(folder)
        return path

    def drop(self, sha256: str) -> None:
        """Remove a submission's file."""
        self.path(sha256).unlink(missing_ok=True)

    def tidy(self) -> None:
        """Remove the half-received files that a crash left. Whole ones stay: another database may know them."""
        for path in (self.folder / "incoming").iterdir():
            with suppress(OSError):
                path.unlink()


def keep_private(path: Path, mode: int) -> None:
    """Take from everybody else what an earlier version let them do; whoever owns what is not ours keeps it."""
    with suppress(OSError):
        if path.stat().st_mode & 0o077:
            path.chmod(mode)


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    state = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            state.update(block)
    return state.hexdigest()


def _sync(folder: Path) -> None:
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
