"""Files of Parquet that are read without pyarrow: the rows that were written, or an error."""

from __future__ import annotations

import gzip
import random
import sys
import tracemalloc
from contextlib import suppress
from io import BytesIO
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet as pq

import truerank as tr
from truerank.core.kernel.pages import Codes, plain_ids, split_floats, split_ids, unsnapped
from truerank.formats import pages, parquet

TEXT = ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DICTIONARY"]
FLOATS = ["PLAIN", "BYTE_STREAM_SPLIT", "DICTIONARY"]
COLUMNS = ("query_id", "doc_id", "score")

ids = st.text(st.characters(blacklist_categories=["Cs"]), min_size=1, max_size=20) | st.sampled_from(["d", "q17"])
rows = st.lists(st.tuples(ids, ids, st.floats(-1e30, 1e30) | st.sampled_from([0.5, 2.0])), min_size=1)


def written(table: pa.Table, encodings: tuple[str, str, str], **options: Any) -> BytesIO:
    """The table as a file whose columns are encoded so."""
    how = dict(zip(table.column_names, encodings, strict=True))
    repeating = [name for name, encoding in how.items() if encoding == "DICTIONARY"]
    given = {name: encoding for name, encoding in how.items() if encoding != "DICTIONARY"}
    file = BytesIO()
    pq.write_table(table, file, use_dictionary=repeating, column_encoding=given or None, **options)
    return file


def decoded(file: BytesIO, **some: int) -> list[tuple[bytes, bytes, float]]:
    """The rows as they are read without pyarrow."""
    table = pages.opened(file, "a.parquet")
    assert table is not None
    layout = parquet.names.layout(table.names, "run", "a.parquet")
    assert table.can_read(layout)
    found: list[tuple[bytes, bytes, float]] = []
    for part in table.columns(layout, **some):
        each = part.queries
        queries = list(parquet.cut(part.query_ends, part.query_text))
        docs = list(parquet.cut(part.doc_ends, part.doc_text))
        found += zip([queries[i] for i in each], docs, part.scores.tolist(), strict=True)
    return found


@given(
    given=rows,
    encodings=st.tuples(*map(st.sampled_from, (TEXT, TEXT, FLOATS))),
    compression=st.sampled_from(["none", "snappy", "gzip", "zstd"]),
    version=st.sampled_from(["1.0", "2.0"]),
    nullable=st.booleans(),
    narrow=st.booleans(),
    group=st.integers(1, 40),
    page=st.sampled_from([1, 64, 1 << 20]),
    at_once=st.integers(1, 30),
    data=st.data(),
)
def test_the_rows_are_those_that_were_written(
    given, encodings, compression, version, nullable, narrow, group, page, at_once, data
):
    kinds = pa.string(), pa.large_binary(), pa.float32() if narrow else pa.float64()
    queries, docs, scores = zip(*given, strict=True)
    values = queries, [doc.encode() for doc in docs], np.array(scores).astype(np.float32 if narrow else np.float64)
    schema = pa.schema([pa.field(*each, nullable=nullable) for each in zip(COLUMNS, kinds, strict=True)])
    table = pa.table(dict(zip(COLUMNS, values, strict=True)), schema)
    more = {"compression": compression, "data_page_version": version, "data_page_size": page}
    file = written(table, encodings, row_group_size=group, write_batch_size=7, **more)
    start = data.draw(st.integers(0, len(given)))
    end = data.draw(st.integers(start, len(given)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "ROWS", at_once)
        found = decoded(file, start=start, end=end)
    expected = zip([q.encode() for q in queries], values[1], values[2].astype(float).tolist(), strict=True)
    assert found == list(expected)[start:end]


@pytest.fixture(scope="module")
def big() -> pa.Table:
    chance = random.Random(5)
    queries = sorted(f"q{chance.randrange(90)}" for _ in range(60_000))
    docs = [f"d{chance.randrange(10 ** chance.randrange(1, 9))}" for _ in queries]
    return pa.table({"query_id": queries, "doc_id": docs, "score": [chance.gauss(0, 1) for _ in queries]})


@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "zstd"])
@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DICTIONARY"])
def test_pages_of_many_rows(big, compression, encoding):
    value = "BYTE_STREAM_SPLIT" if encoding == "PLAIN" else "DICTIONARY" if encoding == "DICTIONARY" else "PLAIN"
    file = written(big, ("DICTIONARY", encoding, value), compression=compression, row_group_size=25_000)
    columns = [column.to_pylist() for column in big.columns]
    assert decoded(file) == [(q.encode(), d.encode(), s) for q, d, s in zip(*columns, strict=True)]


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_the_row_without_a_value_is_named(name, version, tmp_path):
    columns = {
        "query_id": ["q"] * 300,
        "doc_id": [f"d{i}" for i in range(300)],
        "score": [-float(i) for i in range(300)],
    }
    columns[name][222] = None
    file = written(pa.table(columns), ("PLAIN",) * 3, row_group_size=100, data_page_version=version)
    (tmp_path / "a.parquet").write_bytes(file.getvalue())
    with pytest.raises(tr.InputError, match=f"a.parquet: column '{name}' has no value in row 223"):
        tr.evaluate({"q": ["d1"]}, tmp_path / "a.parquet", "AP")


def test_a_run_that_is_written_here_is_read_without_pyarrow(tmp_path, monkeypatch):
    run = {"q1": {"a": 2.0, "bb": 1.5}, "q2": {"c": 1.0}}
    tr.formats.convert(run, tmp_path / "a.parquet", "run")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    assert tr.evaluate({"q1": ["bb"], "q2": ["c"]}, tmp_path / "a.parquet", "RR")["RR"].tolist() == [0.5, 1.0]
    (tmp_path / "b.parquet.gz").write_bytes(gzip.compress((tmp_path / "a.parquet").read_bytes()))
    assert tr.evaluate({"q1": ["bb"], "q2": ["c"]}, tmp_path / "b.parquet.gz", "RR").mean == {"RR": 0.75}


@pytest.mark.parametrize("compression", ["lz4", "brotli"])
def test_other_compression_is_left_to_pyarrow(compression, big, tmp_path):
    pq.write_table(big.slice(0, 500), tmp_path / "a.parquet", compression=compression)
    with open(tmp_path / "a.parquet", "rb") as file:
        table = pages.opened(file, "a")
        assert table is not None
        assert not table.can_read(parquet.names.layout(table.names, "run", "a"))
    assert sum(len(part.scores) for part in tr.open_run(tmp_path / "a.parquet").batches()) == 500


def test_nested_columns_are_left_to_pyarrow(tmp_path):
    rows = {"query_id": ["q"], "vector": [[1.0, 2.0]], "doc_id": ["d"], "score": [1.0]}
    pq.write_table(pa.table(rows), tmp_path / "a.parquet")
    assert tr.open_run(tmp_path / "a.parquet").to_dict() == {"q": {"d": 1.0}}


@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "zstd"])
@pytest.mark.parametrize("encoding", TEXT)
def test_damaged_bytes_are_an_error_or_other_rows(compression, encoding, big, tmp_path):
    value = {"PLAIN": "BYTE_STREAM_SPLIT", "DICTIONARY": "DICTIONARY"}.get(encoding, "PLAIN")
    file = written(big.slice(0, 400), ("DICTIONARY", encoding, value), compression=compression, row_group_size=150)
    chance, whole = random.Random(f"{compression} {encoding}"), file.getvalue()
    errors = 0
    for _ in range(300):
        bad = bytearray(whole)
        for _ in range(chance.randrange(1, 4)):
            bad[chance.randrange(len(bad))] = chance.choice([0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)])
        if chance.random() < 0.2:
            del bad[chance.randrange(len(bad)) :][: chance.randrange(50)]
        table = pages.opened(BytesIO(bytes(bad)), "a")
        try:
            layout = None if table is None else parquet.names.layout(table.names, "run", "a")
            if table is not None and layout is not None and table.can_read(layout):
                sum(len(part.scores) for part in table.columns(layout))
        except tr.InputError:
            errors += 1
    assert errors > 10


@pytest.mark.parametrize("cut", [1, 40, 400])
def test_a_file_that_is_cut_short_is_an_error(cut, big, tmp_path):
    data = written(big.slice(0, 400), ("PLAIN",) * 3, compression="none").getvalue()
    (tmp_path / "a.parquet").write_bytes(data[:-cut])
    with pytest.raises(tr.InputError, match="damaged or cut short"):
        tr.evaluate({"q1": ["d1"]}, tmp_path / "a.parquet", "AP")


def test_a_damaged_page_is_named(tmp_path):
    table = pa.table({"query_id": ["q"] * 9, "doc_id": [f"d{i}" for i in range(9)], "score": [1.0] * 9})
    data = bytearray(written(table, ("PLAIN",) * 3, compression="none").getvalue())
    data[data.index(b"\x02\0\0\0d0") + 1] = 0xFF
    (tmp_path / "a.parquet").write_bytes(bytes(data))
    with pytest.raises(tr.InputError, match="damaged or cut short: the page of column 'doc_id' that ends at byte"):
        tr.evaluate({"q": ["d1"]}, tmp_path / "a.parquet", "AP")


def scored(name: str = "doc_id", **options: Any) -> bytearray:
    """A file of 300 rows, whose columns are plain."""
    rows = {
        "query_id": ["q0"] * 300,
        name: [f"d{i}" for i in range(300)],
        "score": [i * 37 % 101.0 for i in range(300)],
    }
    return bytearray(written(pa.table(rows), ("PLAIN",) * 3, **options).getvalue())


def test_no_flipped_bit_of_a_page_of_gzip_changes_a_number():
    data = scored(compression="gzip")
    whole = decoded(BytesIO(bytes(data)))
    chunk = pq.ParquetFile(BytesIO(bytes(data))).metadata.row_group(0).column(2)
    end = chunk.data_page_offset + chunk.total_compressed_size
    for at in range(end - 400, end):  # behind the page's header
        bad = bytearray(data)
        bad[at] ^= 8
        with suppress(tr.InputError):
            assert decoded(BytesIO(bytes(bad))) == whole  # a time, a name …


@pytest.mark.parametrize("codec", [pages.GZIP, pages.ZSTD])
def test_members_and_frames_follow_each_other(codec):
    import zstandard

    pack = gzip.compress if codec == pages.GZIP else zstandard.ZstdCompressor().compress
    table = pages.opened(BytesIO(bytes(scored())), "a.parquet")
    assert table is not None
    unpack = table.unpacker(codec)
    assert unpack is not None
    assert unpack(pack(b"abc") + pack(b"de"), 5) == b"abcde"
    assert unpack(pack(b"abc"), 3) == b"abc"


@pytest.mark.parametrize("codec", [pages.GZIP, pages.ZSTD])
def test_no_more_is_unpacked_than_a_page_says(codec):
    import zstandard

    bomb = bytes(1 << 26)
    packed = gzip.compress(bomb) if codec == pages.GZIP else zstandard.ZstdCompressor().compress(bomb)
    table = pages.opened(BytesIO(bytes(scored())), "a.parquet")
    assert table is not None
    unpack = table.unpacker(codec)
    assert unpack is not None
    tracemalloc.start()
    with suppress(pages.Damaged):
        assert len(unpack(packed, 100)) == 101  # one more, which tells that it is another page
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20


def test_what_pyarrow_says_of_damage_is_told(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"PAR1" + bytes(20))
    with pytest.raises(tr.InputError, match=r"damaged or cut short \(.*[Mm]agic bytes"):
        tr.evaluate({"q": ["d"]}, tmp_path / "a.parquet", "AP")


@pytest.mark.parametrize("said", ["x", b"\xff"])
def test_what_a_writer_says_that_it_holds_may_be_anything(said, tmp_path):
    table = pa.table({"query_id": ["q"], "doc_id": ["d"], "score": [1.0]})
    pq.write_table(table.replace_schema_metadata({parquet.HOLDS: said}), tmp_path / "a.parquet")
    assert tr.evaluate({"q": ["d"]}, tmp_path / "a.parquet", "AP").mean == {"AP": 1.0}


@pytest.mark.parametrize("name", ["doc_id", "doc"])
def test_any_bit_of_the_description_may_be_wrong(name, tmp_path):
    data = scored(name, compression="lz4", row_group_size=200)  # which pyarrow reads
    (tmp_path / "a.parquet").write_bytes(data)
    size = int.from_bytes(data[-8:-4], "little")
    for at in range(len(data) - 8 - size, len(data), 5):
        bad = bytearray(data)
        bad[at] ^= 1 << at % 8
        (tmp_path / "a.parquet").write_bytes(bad)
        with suppress(tr.InputError):
            tr.evaluate({"q0": ["d1"]}, tmp_path / "a.parquet", "AP")


def test_packed_codes_that_claim_more_than_there_is_are_refused():
    with pytest.raises(ValueError, match="fewer codes"):
        Codes(bytes([0xFF, 0x03, 0x0F]), 0, 3, 1).take(8)
    assert Codes(bytes([0x03, 0x0F]), 0, 2, 2).take(4)[1].tolist() == [3, 0]  # the last eight may be cut short


@given(st.binary(max_size=60), st.integers(-2, 70), st.integers(-2, 70), st.integers(-1, 40))
def test_the_kernel_stays_inside_of_any_bytes(data, at, n, width):
    for work in (
        lambda: plain_ids(data, at, n),
        lambda: split_ids(data, at, n),
        lambda: split_floats(data, at, n, 0, n, 4),
        lambda: split_floats(data, at, n, n // 2, n, 8),
        lambda: Codes(data, at, len(data), width).take(max(n, 0)),
        lambda: Codes(data, at, len(data), width).same(n, 1),
        lambda: unsnapped(data, n),
    ):
        with suppress(ValueError):
            work()


@given(st.lists(st.sampled_from([b"ab", b"abcdefgh", b"x" * 70, b"0123456789abcdef" * 5]) | st.binary(max_size=90)))
def test_snappy_is_unpacked(pieces):
    data = b"".join(pieces)
    packed = pa.compress(data, codec="snappy", asbytes=True)
    assert unsnapped(packed, len(data)) == data
    with pytest.raises(ValueError, match="another number"):
        unsnapped(packed, len(data) + 1)
