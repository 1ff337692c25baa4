"""gzip, zstd and bzip2: several members, damage, and files whose ending lies."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import struct
import threading
import time
import tracemalloc
import zlib
from contextlib import suppress

import pytest
import zstandard

import truerank as tr
from truerank.formats import open_run
from truerank.formats.compression import CODECS, MOST, SLICE, ahead, unpacked
from truerank.formats.source import Source, as_source

ZSTD = zstandard.ZstdCompressor().compress
PACK = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "zstd": ZSTD}
TEXT = b"".join(b"q%d Q0 d%d 1 %d.5 t\n" % (i // 100, i % 100, i % 7) for i in range(40_000))


@pytest.fixture(autouse=True, params=["isal.isal_zlib", "zlib"])
def inflating(request, monkeypatch):
    """gzip is unpacked by either library."""
    library = pytest.importorskip(request.param)
    monkeypatch.setattr("truerank.formats.compression._inflating", lambda: library)


@pytest.mark.parametrize("kind", PACK)
def test_members_and_frames_one_after_another_are_one_file(kind, tmp_path):
    step = 12_345
    parts = [PACK[kind](TEXT[i : i + step]) for i in range(0, len(TEXT), step)]
    (tmp_path / "a").write_bytes(b"".join([PACK[kind](b""), *parts, PACK[kind](b"")]))
    assert as_source(tmp_path / "a").read() == TEXT


@pytest.mark.parametrize("kind", PACK)
def test_any_chunk_size_gives_the_same_bytes(kind, tmp_path, monkeypatch):
    (tmp_path / "a").write_bytes(PACK[kind](TEXT[:3000]) + PACK[kind](TEXT[3000:5000]))
    for size in (1, 2, 3, 7, 64, 1 << 20):
        monkeypatch.setattr("truerank.formats.source.CHUNK", max(size, 16))
        assert as_source(tmp_path / "a").read() == TEXT[:5000]


@pytest.mark.parametrize("flags", range(0, 32, 2))
def test_a_gzip_header_with_any_fields_may_come_in_pieces(flags: int) -> None:
    """RFC 1952; of a file of several members, any header may straddle the end of a piece."""
    fields = [(4, b"\x06\x00BC\x02\x00\x10\x20"), (8, b"a.run\x00"), (16, b"a comment\x00")]
    header = b"\x1f\x8b\x08%c\0\0\0\0\0\xff" % flags + b"".join(each for flag, each in fields if flags & flag)
    if flags & 2:
        header += struct.pack("<H", zlib.crc32(header) & 0xFFFF)
    member = header + gzip.compress(TEXT[:99])[10:]
    for size in range(1, len(header) + 20):
        data = member * 2
        pieces = [data[at : at + size] for at in range(0, len(data), size)]
        assert b"".join(unpacked(CODECS[0], pieces)) == TEXT[:99] * 2


@pytest.mark.parametrize("kind", PACK)
def test_a_file_that_was_cut_short_is_refused_wherever_it_was_cut(kind, tmp_path):
    packed = PACK[kind](os.urandom(300) + TEXT)
    for cut in (len(packed) - 1, len(packed) - 5, len(packed) // 2, 30):
        (tmp_path / "a").write_bytes(packed[:cut])
        with pytest.raises(tr.InputError, match=f"a: the {kind} data ends too early: the file was cut short"):
            as_source(tmp_path / "a").read()


@pytest.mark.parametrize("kind", PACK)
def test_damaged_data_is_refused(kind, tmp_path):
    packed = bytearray(PACK[kind](TEXT))
    packed[len(packed) // 2] ^= 0xFF
    (tmp_path / "a").write_bytes(packed)
    with pytest.raises(tr.InputError, match=f"a: the {kind} data (is damaged|ends too early)"):
        as_source(tmp_path / "a").read()
    (tmp_path / "b").write_bytes(PACK[kind](TEXT) + b"rubbish")
    with pytest.raises(tr.InputError, match=f"b: the {kind} data (is damaged|ends too early)"):
        as_source(tmp_path / "b").read()


@pytest.mark.parametrize("ending", ["gz", "zst", "bz2", "xz"])
def test_no_other_run_is_read_from_a_written_file_of_which_a_byte_changed(ending, tmp_path):
    run = {f"q{number}": {f"d{doc}": 1 / (1 + doc + number) for doc in range(7)} for number in range(9)}
    path = tmp_path / f"a.run.{ending}"
    tr.open_run(run).save(path)
    kept, written = tr.open_run(path).to_dict(), path.read_bytes()
    for place in range(0, len(written), 3):
        path.write_bytes(written[:place] + bytes([written[place] ^ 16]) + written[place + 1 :])
        with suppress(tr.InputError):
            assert tr.open_run(path).to_dict() == kept


def test_damage_is_found_while_a_run_is_evaluated(tmp_path):
    packed = gzip.compress(TEXT)
    (tmp_path / "a.run.gz").write_bytes(packed[:-9])
    with pytest.raises(tr.InputError, match=r"a\.run\.gz: the gzip data ends too early"):
        tr.evaluate({"q1": ["d1"]}, tmp_path / "a.run.gz", "RR")


def test_zeros_after_a_gzip_member_are_no_damage(tmp_path):
    (tmp_path / "a").write_bytes(gzip.compress(TEXT) + bytes(1000) + gzip.compress(TEXT) + bytes(10))
    assert as_source(tmp_path / "a").read() == TEXT + TEXT


def test_a_frame_to_skip_before_the_first_zstd_frame_is_skipped(tmp_path):
    (tmp_path / "a").write_bytes(b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd" + PACK["zstd"](TEXT))
    assert as_source(tmp_path / "a").read() == TEXT


@pytest.mark.parametrize("kind", PACK)
def test_the_content_decides_and_not_the_ending(kind, tmp_path):
    (tmp_path / "a.txt").write_bytes(PACK[kind](TEXT))
    assert tr.evaluate({"q1": ["d0"]}, tmp_path / "a.txt", "NumRet").mean["NumRet"] == 100
    (tmp_path / "b.gz").write_bytes(b"BZh1 Q0 d 1 2.0 t\n")
    assert tr.evaluate({"BZh1": ["d"]}, tmp_path / "b.gz", "RR").mean == {"RR": 1.0}


def test_lines_are_counted_through_compression(tmp_path):
    (tmp_path / "a.gz").write_bytes(gzip.compress(TEXT + b"q Q0 d 1 high t\n"))
    with pytest.raises(tr.InputError, match=r"a\.gz:40001: the score is no number"):
        tr.evaluate({"q1": ["d1"]}, tmp_path / "a.gz", "RR")


def test_a_large_compressed_file_is_read_in_little_memory(tmp_path):
    with gzip.open(tmp_path / "a.gz", "wb", compresslevel=1) as file:
        for i in range(40):
            file.write(TEXT.replace(b"q", b"q%d_" % i))
    qrels = tr.read_qrels({"q1_1": ["d1"]})
    tr.evaluate(qrels, tmp_path / "a.gz", "RR")
    tracemalloc.start()
    tr.evaluate(qrels, tmp_path / "a.gz", "RR")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16 << 20 < 40 * len(TEXT)


@pytest.mark.parametrize("kind", PACK)
def test_a_small_file_that_grows_without_end_is_unpacked_in_pieces(kind, tmp_path):
    zeros = bytes(1 << 20)
    packers = {"gzip": zlib.compressobj(9, wbits=31), "bzip2": bz2.BZ2Compressor(), "xz": lzma.LZMACompressor()}
    packer = packers.get(kind)
    packer = packer or zstandard.ZstdCompressor().compressobj()
    (tmp_path / "a").write_bytes(b"".join([*(packer.compress(zeros) for _ in range(24)), packer.flush()]))
    assert (tmp_path / "a").stat().st_size < 50_000
    sizes = [len(piece) for piece in as_source(tmp_path / "a").chunks()]
    assert sum(sizes) == 24 << 20
    assert max(sizes) <= (MOST if kind != "zstd" else MOST + SLICE // 4 * (128 << 10))


@pytest.mark.parametrize("kind", PACK)
def test_any_size_of_pieces_gives_the_same_bytes(kind, tmp_path, monkeypatch):
    (tmp_path / "a").write_bytes(PACK[kind](TEXT[:9000]) + PACK[kind](b"\n" * 5000) + PACK[kind](TEXT[:99]))
    for most in (7, 258, 5000):
        monkeypatch.setattr("truerank.formats.compression.MOST", most)
        monkeypatch.setattr("truerank.formats.compression.SLICE", most)
        assert as_source(tmp_path / "a").read() == TEXT[:9000] + b"\n" * 5000 + TEXT[:99]


def test_reading_ahead_happens_in_another_thread_and_ends_with_its_reader():
    made = []

    def chunks():
        try:
            for i in range(100):
                made.append((i, threading.current_thread()))
                yield b"%d" % i
        finally:
            made.append("closed")

    reader = ahead(chunks())
    assert [next(reader), next(reader)] == [b"0", b"1"]
    reader.close()
    assert made[-1] == "closed"
    assert len(made) <= 4
    assert threading.main_thread() not in [thread for _, thread in made[:-1]]


def test_an_error_made_ahead_is_raised_where_it_is_read():
    def chunks():
        yield b"one"
        time.sleep(0.01)
        raise ValueError("two")

    reader = ahead(chunks())
    assert next(reader) == b"one"
    with pytest.raises(ValueError, match="two"):
        next(reader)


def test_a_source_can_be_opened_anew_while_it_is_being_read(tmp_path, monkeypatch):
    monkeypatch.setattr("truerank.formats.source.CHUNK", 1000)
    (tmp_path / "a.gz").write_bytes(gzip.compress(TEXT))
    run = open_run(tmp_path / "a.gz")
    first, second = run.batches(), run.batches()
    assert next(first) == next(second)
    assert list(second) == list(first) != []


def test_blocks_are_whole_lines_with_their_numbers(tmp_path, monkeypatch):
    monkeypatch.setattr("truerank.formats.source.BLOCK", 1000)
    monkeypatch.setattr("truerank.formats.source.CHUNK", 333)
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbf" + TEXT[:-1])
    blocks = list(Source(str(tmp_path / "a")).blocks())
    assert b"".join(block for _, block in blocks) == TEXT
    assert len(blocks) > 500
    line = 1
    for number, block in blocks:
        assert number == line
        assert block.endswith(b"\n")
        line += block.count(b"\n")


@pytest.mark.parametrize(("text", "line"), [(b"\0", 1), (b"\n\0\n", 2), (b"a\nb\n\n\0", 4)])
@pytest.mark.parametrize("read", [Source.text, lambda source: list(source.blocks())], ids=["text", "blocks"])
def test_a_nul_byte_is_told_with_its_line(read, text, line, tmp_path):
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbf" + text)
    with pytest.raises(tr.InputError, match=rf"a:{line}: this line holds a NUL byte"):
        read(Source(str(tmp_path / "a")))


@pytest.mark.parametrize("before", [0, 7, 4000])
def test_a_line_that_is_too_long_is_told_with_its_number(before, tmp_path, monkeypatch):
    monkeypatch.setattr("truerank.formats.source.BLOCK", 1000)
    monkeypatch.setattr("truerank.formats.source.CHUNK", 333)
    (tmp_path / "a").write_bytes(b"a\n" * before + b"x" * 2000 + b"\nb\n")
    assert b"".join(block for _, block in Source(str(tmp_path / "a")).blocks(2000))[-4:] == b"x\nb\n"
    with pytest.raises(tr.InputError, match=rf"a:{before + 1}: this line is too long: the file is binary"):
        list(Source(str(tmp_path / "a")).blocks(500))


def test_a_run_is_written_without_the_time(tmp_path):
    tr.open_run({"q": {"a": 1.0}}).save(tmp_path / "a.run.gz")
    assert (tmp_path / "a.run.gz").read_bytes()[3:8] == bytes(5)  # no name either: the same bytes every time


def test_an_interrupt_while_reading_ahead_begins_is_an_interrupt(tmp_path, monkeypatch):
    path = tmp_path / "a.run.gz"
    path.write_bytes(gzip.compress(b"q Q0 d 1 1.5 x\n" * 100_000))
    start = threading.Thread.start

    def interrupted(self):
        start(self)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tr.evaluate({"q": {"d": 1}}, path, "AP")
