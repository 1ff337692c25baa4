"""The files that are read: made when they are not there, and in the page cache afterwards."""

from __future__ import annotations

import gzip
import random
import shutil
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from timing import HERE, MEGABYTE, TRUERANK, into_cache


def big(directory: Path, queries: int, rows: int = 1000) -> None:
    """big.run and big.qrels in this directory."""
    run = directory / "big.run"
    if not run.exists():
        say(f"writing {run}: {queries:,} queries × {rows:,} rows")
        part = directory / "part"
        size = ("--queries", str(queries), "--rows", str(rows))
        subprocess.run([sys.executable, HERE / "make_big.py", part, *size], check=True)
        for name in ("big.qrels", "big.run"):
            (part / name).replace(directory / name)
        part.rmdir()
    into_cache(run)


@contextmanager
def for_once(directory: Path, queries: int, rows: int = 1000) -> Iterator[tuple[Path, Path]]:
    """The judgements and the run of another big file, in a directory of their own that is removed."""
    directory.mkdir(exist_ok=True)
    try:
        big(directory, queries, rows)
        yield directory / "big.qrels", directory / "big.run"
    finally:
        shutil.rmtree(directory)


def zipped(run: Path) -> Path:
    """The same file in gzip."""

    def write(plain: BinaryIO, packed: BinaryIO) -> None:
        with gzip.GzipFile("", "wb", 6, packed) as member:
            shutil.copyfileobj(plain, member, MEGABYTE)

    return _packed(run, ".gz", write)


def of_members(run: Path) -> Path:
    """The same file as bgzip writes it."""

    def write(plain: BinaryIO, packed: BinaryIO) -> None:
        while text := plain.read(65_280):
            packer = zlib.compressobj(6, wbits=-15)
            member = packer.compress(text) + packer.flush()
            packed.write(b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0" + struct.pack("<H", len(member) + 25))
            packed.write(member + struct.pack("<II", zlib.crc32(text), len(text)))

    return _packed(run, ".bgz", write)


def of_one_frame(run: Path) -> Path:
    """The same file in zstd, as zstd writes it with any number of threads."""
    import zstandard

    packer = zstandard.ZstdCompressor(write_checksum=True)
    return _packed(run, ".zst", packer.copy_stream)


def of_frames(run: Path) -> Path:
    """The same file in zstd, in frames as long as those of pzstd."""
    import zstandard

    packer = zstandard.ZstdCompressor(write_checksum=True)

    def write(plain: BinaryIO, packed: BinaryIO) -> None:
        while text := plain.read(8 * MEGABYTE):
            packed.write(packer.compress(text))

    return _packed(run, ".frames.zst", write)


def _packed(run: Path, suffix: str, write: Callable[[BinaryIO, BinaryIO], object]) -> Path:
    path = run.with_name(run.name + suffix)
    if not path.exists():
        say(f"writing {path}")
        part = path.with_name("part" + suffix)
        with run.open("rb") as plain, part.open("wb") as packed:
            write(plain, packed)
        part.replace(path)
    into_cache(path)
    return path


def converted(run: Path, suffix: str) -> Path:
    """The run in the format of a suffix, as `truerank convert` writes it."""
    path = run.with_suffix(suffix)
    if not path.exists():
        say(f"writing {path}")
        part = path.with_name("part" + suffix)
        subprocess.run([TRUERANK, "convert", run, part, "--as", "run"], check=True)
        part.replace(path)
    return path


def by_pyarrow(path: Path) -> Path:
    """The same rows as pyarrow, and pandas with it, writes Parquet where nothing else is asked for."""
    from pyarrow import parquet

    packed = path.with_suffix(".snappy.parquet")
    if not packed.exists():
        say(f"writing {packed}")
        part = path.with_name("part.parquet")
        parquet.write_table(parquet.read_table(path), part)
        part.replace(packed)
    return packed


def tiny(directory: Path) -> tuple[Path, Path]:
    """Judgements and a run of three queries."""
    qrels, run = directory / "tiny.qrels", directory / "tiny.run"
    qrels.write_text("q1 0 a 1\nq2 0 b 2\nq3 0 c 1\n")
    run.write_text("".join(f"q{q} Q0 {doc} {r} {9 - r} t\n" for q in (1, 2, 3) for r, doc in enumerate("abc", 1)))
    return qrels, run


def of_aspects(directory: Path) -> tuple[Path, Path]:
    """200 queries, each with 1,000 documents judged for 10 aspects, and a run of 1,000 rows each."""
    qrels, run = directory / "aspects.qrels", directory / "aspects.run"
    if not run.exists():
        say(f"writing {qrels}: 200 queries × 1,000 documents × 10 aspects")
        chance = random.Random(0)
        part = directory / "part"
        with qrels.open("w") as judged, part.open("w") as answered:
            for query in range(200):
                docs = [f"clueweb09-en{n // 10**4:04}-{n:08}" for n in chance.sample(range(10**8), 1300)]
                rows = ((aspect, doc) for aspect in range(1, 11) for doc in docs[:1000])
                judged.writelines(f"{query} {aspect} {doc} {chance.random() < 0.08:d}\n" for aspect, doc in rows)
                found = chance.sample(docs, 1000)
                answered.writelines(f"{query} Q0 {doc} {r} {1001 - r} t\n" for r, doc in enumerate(found, 1))
        part.replace(run)
    into_cache(qrels)
    into_cache(run)
    return qrels, run


def say(text: str) -> None:
    """Talk, beside the results."""
    print(text, file=sys.stderr, flush=True)
