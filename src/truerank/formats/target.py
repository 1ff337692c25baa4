"""Where bytes go: a file, standard output, a URL. A file appears under its name only when it is complete."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from truerank.core.errors import InputError, needs
from truerank.core.messages import message
from truerank.formats.compression import codec_for

if TYPE_CHECKING:
    from pathlib import Path

UNWRITTEN = (".lz4", ".lzma", ".7z", ".zip", ".rar", ".br", ".lzo", ".sz", ".snappy", ".z", ".tar", ".tgz")
"""Endings that promise a packing that is not written here."""

STANDARD = {"/dev/stdout": 1, "/dev/stderr": 2}


def refuse_unwritten(target: str | os.PathLike[str]) -> None:
    """Raise where the target's ending asks for a compression that is not written.

    Raises:
        InputError: it does; the message names those that are.
    """
    name = os.fspath(target)
    ending = os.path.splitext(name.lower())[1]
    if ending in UNWRITTEN:
        raise InputError(
            "{ending} is not written: compressed files end in .gz, .zst, .bz2 or .xz", name, ending=ending
        )


def is_same_file(one: str, other: str) -> bool:
    """Whether both exist and are the same file: writing it would destroy what is read."""
    return os.path.isfile(one) and os.path.isfile(other) and os.path.samefile(one, other)


def open_descriptor(name: str) -> int | None:
    """The number of the open file that a name stands for, as 1 is standard output: it must not be replaced.

    >>> open_descriptor("/dev/stdout"), open_descriptor("/dev/fd/5"), open_descriptor("5")
    (1, 5, None)
    """
    if name in STANDARD:
        return STANDARD[name]
    numbered = re.fullmatch(r"/(?:dev|proc/self)/fd/(\d+)", name)
    return int(numbered[1]) if numbered else None


@contextmanager
def writing(target: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file to write to; it gets the target's name when the block ends without an error.

    Args:
        target: a path (compressed when it ends in .gz, .zst, .bz2 or .xz), "-" for standard output, or a URL.

    Raises:
        InputError: the target cannot be written.
    """
    name = os.fspath(target)
    refuse_unwritten(name)
    try:
        with _opened(name) as file, _packed(file, name) as packed:
            yield packed
    except (BrokenPipeError, InputError):
        raise
    except OSError as error:
        raise InputError("cannot be written: {why}", name, why=error.strerror or error) from None


@contextmanager
def _packed(file: BinaryIO, name: str) -> Iterator[BinaryIO]:
    codec = codec_for(name)
    if codec is None:
        yield file
    else:
        with codec.packer(file) as packed:
            yield packed


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    if name == "-" and sys.stdout is None:  # the shell's >&-
        raise InputError("standard output is closed")
    buffer: Any = getattr(sys.stdout, "buffer", None)
    if name == "-" and buffer is None:  # a text stream in place of standard output, such as io.StringIO
        held = io.BytesIO()
        yield held
        sys.stdout.write(held.getvalue().decode("utf-8", "backslashreplace"))
    elif name == "-" and isinstance(buffer, io.RawIOBase):  # python -u: a write may be partial
        with open(sys.stdout.fileno(), "wb", closefd=False) as file:
            yield file
    elif name == "-":
        yield buffer
        buffer.flush()
    elif (descriptor := open_descriptor(name)) is not None:
        with open(descriptor, "wb", closefd=False) as file:
            yield file
    elif "://" in name:
        with _remote(name) as file:
            yield file
    elif os.path.exists(name) and not os.path.isfile(name):  # a pipe or a device cannot be replaced
        with open(name, "wb") as file:
            yield file
    else:
        from pathlib import Path

        with _renamed(Path(os.path.realpath(name))) as file:
            yield file


@contextmanager
def _renamed(path: Path) -> Iterator[BinaryIO]:
    """A new file beside the path, which takes its place at the end and is removed after an error."""
    from shutil import copymode

    stem = os.fsencode(path.name)[:200].decode(sys.getfilesystemencoding(), "ignore")  # of 255 bytes at most
    part = path.with_name(f".{stem}.{os.urandom(4).hex()}.part")
    try:
        with part.open("xb") as file:
            yield file
        if path.exists():
            copymode(path, part)
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


@contextmanager
def _remote(url: str) -> Iterator[BinaryIO]:
    with needs(message("writing {url}", url=url), "remote"):
        import fsspec
    try:
        files, path = cast(Any, fsspec).core.url_to_fs(url)
    except (OSError, ValueError, ImportError) as error:
        raise InputError("cannot be written: {why}", url, why=error) from None
    with files.transaction, _begun(files, path, url) as file:
        yield file


def _begun(files: Any, path: str, url: str) -> BinaryIO:
    try:
        return cast(BinaryIO, files.open(path, "wb"))
    except NotImplementedError:
        scheme = url.split("://")[0]
        raise InputError("cannot be written: {scheme} URLs can only be read", url, scheme=scheme) from None
