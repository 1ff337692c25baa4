"""Frames of zstd and members of bgzip, unpacked by several threads: the same bytes and errors, little memory."""

from __future__ import annotations

import gzip
import itertools
import os
import random
import shutil
import struct
import subprocess
import threading
import tracemalloc
import zlib
from collections.abc import Iterator
from functools import partial
from unittest.mock import patch

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import truerank as tr
from truerank.formats import parallel
from truerank.formats.compression import Codec, Damaged, codec_of, unpacked
from truerank.formats.parallel import Cutter, unpacked_by_threads
from truerank.formats.source import as_source

SKIPPED = b"\x57\x2a\x4d\x18\x05\x00\x00\x00abcde"
ZEROS = bytes(1 << 20)
NOISE = random.Random(7).randbytes(9_000)


def bgzip(text: bytes, field: bytes = b"") -> bytes:
    """A member as bgzip writes it; its specification allows fields before the one that says the length."""
    packer = zlib.compressobj(wbits=-15)
    data = packer.compress(text) + packer.flush()
    head = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff" + struct.pack("<H", len(field) + 6) + field
    return (
        head
        + b"BC\x02\0"
        + struct.pack("<H", len(field) + len(data) + 25)
        + data
        + struct.pack("<II", zlib.crc32(text), len(text))
    )


with_field = partial(bgzip, field=b"AB\x03\0BCD")


def skippable(text: bytes) -> bytes:
    """A frame that unpacks to nothing."""
    return b"\x5f\x2a\x4d\x18" + struct.pack("<I", len(text)) + text


def streamed(text: bytes) -> bytes:
    """A frame that does not say how long its content is, of many blocks."""
    packer = zstandard.ZstdCompressor(write_checksum=True).compressobj()
    parts = [
        packer.compress(text[at : at + 97]) + packer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
        for at in range(0, len(text), 97)
    ]
    return b"".join([*parts, packer.flush()])


WAYS = {
    "zstd": (
        zstandard.ZstdCompressor().compress,
        zstandard.ZstdCompressor(level=19, write_checksum=True).compress,
        zstandard.ZstdCompressor(write_content_size=False).compress,
        streamed,
        lambda text: SKIPPED + zstandard.ZstdCompressor().compress(text),
    ),
    "gzip": (
        bgzip,
        with_field,
        gzip.compress,
        lambda text: bgzip(text) + bytes(7),
        lambda text: bgzip(b"") + bgzip(text)[:4] + b"\0" * 4 + bgzip(text)[8:],
    ),
}
BOUNDS = st.fixed_dictionaries(
    {
        "TOGETHER": st.sampled_from((1, 1000, 1 << 20)),
        "AHEAD": st.sampled_from((1, 5000, 1 << 26)),
        "LONGEST": st.sampled_from((300, 1 << 25)),
        "BLOCKS": st.sampled_from((3, 1 << 10)),
        "STEP": st.sampled_from((5, 1 << 16)),
        "CHUNK": st.sampled_from((50, 1 << 18)),
    }
)


@st.composite
def packed(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A text, and compressed members that stand for it."""
    ways = WAYS[draw(st.sampled_from(sorted(WAYS)))]
    few = draw(st.booleans())
    members = draw(
        st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 1 if few else 4)), min_size=1, max_size=12)
    )
    noise = bytes(range(256)) * 12
    texts = [(b"q1 Q0 d%d 1 0.5 t\n" % size * size)[:size] if size % 3 else noise[:size] for size, _ in members]
    return b"".join(texts), b"".join(ways[way](text) for text, (_, way) in zip(texts, members, strict=True))


def chunks(data: bytes, size: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


def outcome(made: Iterator[bytes]) -> tuple[bytes, str | None]:
    """The bytes, and the error after them."""
    found = []
    try:
        found.extend(made)
    except Damaged as error:
        return b"".join(found), str(error)
    return b"".join(found), None


def of(data: bytes) -> Codec:
    codec = codec_of(data)
    assert codec
    return codec


@given(packed(), st.integers(1, 5000), BOUNDS, st.integers(2, 4))
def test_the_bytes_are_the_same_however_they_were_packed(both, size, bounds, threads):
    text, data = both
    with patch.multiple(parallel, **bounds):
        assert b"".join(unpacked_by_threads(of(data), chunks(data, size), threads)) == text


@given(packed(), st.data(), st.integers(16, 5000), BOUNDS)
def test_the_error_of_damaged_data_is_the_same_wherever_it_is(both, data, size, bounds):
    _, whole = both
    place = data.draw(st.integers(4, len(whole) - 1))
    kind = data.draw(st.sampled_from(("cut", "flip", "more")))
    bad = {
        "cut": whole[:place],
        "flip": whole[:place] + bytes([whole[place] ^ data.draw(st.integers(1, 255))]) + whole[place + 1 :],
        "more": whole + whole[place:],
    }[kind]
    expected = outcome(unpacked(of(whole), chunks(bad, size)))
    with patch.multiple(parallel, **bounds):
        found = outcome(unpacked_by_threads(of(whole), chunks(bad, size), 2))
    assert found[1] == expected[1]
    assert (
        found[0] == expected[0]
        if found[1] is None
        else found[0].startswith(expected[0]) or expected[0].startswith(found[0])
    )


def test_the_member_that_ends_a_file_of_bgzip_is_the_one_of_its_specification():
    assert bgzip(b"").hex() == "1f8b08040000000000ff0600424302001b0003000000000000000000"


@pytest.mark.parametrize("pack", [bgzip, zstandard.ZstdCompressor().compress])
def test_members_are_unpacked_by_other_threads(pack):
    data = pack(b"line\n" * 9999) * 50
    threads, made = set(), []
    done = parallel.done

    def seen(*arguments):
        threads.add(threading.current_thread())
        made.append(done(*arguments))
        return made[-1]

    with patch.object(parallel, "done", seen):
        assert b"".join(unpacked_by_threads(of(data), [data], 2)) == b"line\n" * 9999 * 50
    assert 0 < len(threads) <= 2
    assert None not in made
    assert threading.current_thread() not in threads


@pytest.mark.parametrize("pack", [bgzip, zstandard.ZstdCompressor().compress])
def test_no_more_is_read_than_fits_into_the_bounds(pack):
    noise = os.urandom(60_000)
    member = pack(noise)
    taken = given_out = 0

    def count(times):
        nonlocal taken
        for _ in range(times):
            taken += len(member)
            yield member

    most = 0
    with patch.multiple(parallel, TOGETHER=1, AHEAD=10 * 2 * len(noise)):
        for piece in unpacked_by_threads(of(member), count(300), 8):
            most = max(most, taken - given_out)
            given_out += len(piece)
    assert given_out == 300 * len(noise)
    assert 5 * len(noise) < most < 12 * len(member)


@pytest.mark.parametrize("threads", [2, 8])
def test_frames_that_grow_without_end_fill_no_memory(threads):
    packer = zstandard.ZstdCompressor().compressobj()
    bomb = b"".join([*(packer.compress(ZEROS) for _ in range(16)), packer.flush()])
    tracemalloc.start()
    total = sum(map(len, unpacked_by_threads(of(bomb), itertools.repeat(bomb, 30), threads)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert total == 30 * 16 * len(ZEROS)
    assert peak < parallel.AHEAD + 2 * 16 * len(ZEROS)


def test_a_frame_that_is_too_long_is_unpacked_while_it_is_read():
    packer = zstandard.ZstdCompressor().compressobj()
    bomb = b"".join([*(packer.compress(ZEROS) for _ in range(40)), packer.flush()])
    cutter = Cutter(parallel.zstd_extent, chunks(bomb, 100))
    assert cutter.next() is None
    assert len(cutter.rest) <= parallel.LONGEST // parallel.BLOCK * 20


@pytest.mark.parametrize(
    "text", [b"", b"q1 Q0 d1 1 0.5 t\n" * 99, bytes(60_000), NOISE], ids=["", "text", "zeros", "noise"]
)
@pytest.mark.parametrize("pack", [bgzip, with_field, skippable, *WAYS["zstd"][:4]])
def test_the_end_of_a_member_is_seen_as_soon_as_it_is_whole(pack, text):
    member, most = pack(text), 0 if pack is skippable else len(text)
    measure = parallel.KINDS[of(member).name][0]
    for before in (b"", member):
        at = len(before)
        extent = measure(bytearray(before + member + member + SKIPPED * 2), at)
        assert (extent.length, extent.size) == (len(member), len(member) + extent.most)
        assert extent.most >= most
        for end in {*range(min(len(member), 40)), len(member) // 2, len(member) - 1}:
            assert measure(bytearray(before + member[:end]), at) is None


def test_a_member_of_bgzip_that_grows_beyond_its_bound_is_no_error():
    data = bgzip(b"one\n") + bgzip(bytes(300_000)) + bgzip(b"two\n")
    assert b"".join(unpacked_by_threads(of(data), [data], 2)) == b"one\n" + bytes(300_000) + b"two\n"


@pytest.mark.parametrize(("ending", "text"), [("tsv", b"q\ta\t1\n"), ("json", b'{"q": {"a": 1}}')])
def test_a_byte_order_mark_may_be_spread_over_members(ending, text, tmp_path):
    members = bgzip(b""), bgzip(b"\xef"), gzip.compress(b"\xbb\xbf"), gzip.compress(text)
    (tmp_path / f"a.{ending}.gz").write_bytes(b"".join(members))
    assert list(tr.open_run(tmp_path / f"a.{ending}.gz").to_dict()) == ["q"]


def test_a_length_that_is_not_true_is_not_believed():
    member = bytearray(bgzip(b"one\n" * 100))
    for length in (0, 20, len(member) - 2, len(member), 2 * len(member) - 1, 65535):
        member[16:18] = struct.pack("<H", length)
        data = bytes(member) + bgzip(b"two\n") + bytes(member)
        assert b"".join(unpacked_by_threads(of(data), [data], 2)) == b"one\n" * 100 + b"two\n" + b"one\n" * 100


def test_a_reader_that_stops_ends_the_threads():
    before = threading.active_count()
    data = bgzip(b"line\n" * 9999) * 200
    reader = unpacked_by_threads(of(data), chunks(data, 1000), 3)
    next(reader)
    assert threading.active_count() > before
    reader.close()
    assert threading.active_count() == before


def test_one_thread_unpacks_as_it_reads():
    data = bgzip(b"line\n" * 9999) * 20
    before = threading.active_count()
    reader = unpacked_by_threads(of(data), chunks(data, 1000), 1)
    next(reader)
    assert threading.active_count() == before
    reader.close()


def test_a_run_of_many_frames_is_evaluated_as_its_text(tmp_path):
    lines = b"".join(b"q%d Q0 d%d 1 %d.5 t\n" % (i // 100, i % 100, i % 7) for i in range(40_000))
    (tmp_path / "a.run").write_bytes(lines)
    qrels = {"q1": {"d3": 1}, "q399": {"d99": 1}}
    expected = tr.evaluate(qrels, tmp_path / "a.run", ["RR", "NumRet"]).mean
    for name, pack in (("b.zst", zstandard.ZstdCompressor().compress), ("c.gz", bgzip)):
        (tmp_path / name).write_bytes(b"".join(map(pack, chunks(lines, 65_000))))
        assert tr.evaluate(qrels, tmp_path / name, ["RR", "NumRet"]).mean == expected
        (tmp_path / name).write_bytes((tmp_path / name).read_bytes()[:-5])
        with pytest.raises(tr.InputError, match="data ends too early: the file was cut short"):
            tr.evaluate(qrels, tmp_path / name, "RR")


@pytest.mark.parametrize("command", [("pzstd", "-q", "-p", "3"), ("bgzip", "-k")])
def test_files_of_the_tools_themselves_are_cut_to_their_end(command, tmp_path):
    if not shutil.which(command[0]):
        pytest.skip(f"{command[0]} is not installed")
    text = b"".join(b"q%d Q0 d%d 1 %d.5 t\n" % (i // 100, i % 100, i % 7) for i in range(600_000))
    (tmp_path / "a").write_bytes(text)
    subprocess.run([*command, tmp_path / "a"], check=True)
    (path,) = tmp_path.glob("a.*")
    data = path.read_bytes()
    cutter = Cutter(parallel.KINDS[of(data).name][0], [data])
    works = list(iter(cutter.next, None))
    assert (len(works) > 1, bytes(cutter.rest)) == (True, b"")
    assert as_source(path).read() == text
