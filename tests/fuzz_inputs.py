"""What the fuzzer throws: ids, numbers and lines of every shape, some of them damaged."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext

import numpy as np

from fuzz_oracle import Options
from truerank.core.qrels import Qrels

Random = random.Random

IDS = (*b"d dd q1 1 10 a-b doc-0123456 0123456789abcdef xxxxxxxxxxxxxxxxx \xff\xfe".split(), "서울".encode())
JUNK = (b" ", b"\t", b"\n", b"\r", b"\r\n", b"\0", *b"# \x0b \x7f \x85 \xef\xbb\xbf nan 1e400".split(b" "))


def an_id(rng: Random) -> bytes:
    """One of a few ids, so that they meet again, or one that looks like none of them."""
    if rng.random() < 0.6:
        return rng.choice(IDS)
    return bytes(rng.choices(range(33, 256), k=rng.choice((1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 40))))


def a_number(rng: Random) -> bytes:
    """Decimals of every shape, most of them easy."""
    return _short(rng) if rng.random() < 0.98 else rng.choice(SHAPES)(rng)


def _short(rng: Random) -> bytes:
    text = b"%.*f" % (rng.choice((0, 1, 2, 3, 6, 7, 8, 9)), rng.choice((0.0, 1.0, 2.5, -1.0, rng.gauss(0, 300))))
    if rng.random() < 0.99:
        return text
    i = rng.randrange(len(text))  # one character is wrong
    return text[:i] + bytes([rng.randrange(256)]) + text[i + 1 :]


def _digits(rng: Random) -> bytes:
    whole, part = (bytes(rng.choices(b"0123456789", k=rng.choice((0, 1, 5, 18, 19, 20, 40)))) for _ in "ab")
    sign = rng.choice((b"", b"", b"-", b"+"))
    return sign + (whole or b"0") + rng.choice((b"", b"." + part)) + rng.choice((b"", _exponent(rng)))


def _exponent(rng: Random) -> bytes:
    return b"%c%+d" % (
        rng.choice(b"eE"),
        rng.choice((rng.randint(-30, 30), rng.randint(-340, 320), rng.randint(-(10**7), 10**7))),
    )


def _repr(rng: Random) -> bytes:
    return repr(float(np.uint64(rng.getrandbits(64)).view(np.float64))).encode()


def _halfway(rng: Random) -> bytes:
    """Between two neighbouring doubles, exactly or by a hair: where rounding goes wrong first."""
    number = abs(rng.choice((rng.random(), rng.gauss(0, 1e6), float(rng.getrandbits(60)))))
    with localcontext() as context:
        context.prec = 1200  # all digits of any double
        middle = (Decimal(number) + Decimal(float(np.nextafter(number, np.inf)))) / 2
        text = format(middle, "f") if middle > Decimal("1e-40") else str(middle)
    hair = rng.choice(("", "1", "0001", "e0", "e+00"))
    short = text[: rng.choice((len(text), 17, 18, 19, 20, 21))]
    return (short + (hair if "." in short or hair.startswith("e") else "")).encode()


def a_long_number(rng: Random) -> bytes:
    """Longer than any buffer, its exponent as far off as its digits."""
    near = rng.choice((10**3, 10**4, 10**5))  # where a reader might begin to count digits or exponents otherwise
    zeros = b"0" * rng.randint(near - 30, near + 5)
    power = rng.choice((len(zeros), len(zeros) + 1, near, 10 * near - 1, 10 * near, 100 * near))
    return rng.choice(
        (b"0." + zeros + b"1e%d" % power, b"1" + zeros + b"e-%d" % power, zeros + b"7.5", b"3" + zeros)
    )


def _broken(rng: Random) -> bytes:
    return damaged(rng, _digits(rng)).translate(None, b" \t\r\n") or b"x"


SHAPES: tuple[Callable[[Random], bytes], ...] = (_short, _digits, _repr, _halfway, _broken)


def damaged(rng: Random, text: bytes) -> bytes:
    """The text with a byte or a stretch changed, dropped, doubled or put in."""
    at = rng.randrange(len(text) + 1)
    to = min(len(text), at + rng.choice((1, 1, 2, 8)))
    put = rng.choice((b"", rng.randbytes(1), rng.choice(JUNK), text[at:to] * 2))
    return text[:at] + put + text[to:]


def lines(rng: Random, line: Callable[[Random, bytes], bytes], count: int) -> bytes:
    """Lines of a few queries one after another, with blank lines, comments and odd line ends between."""
    out, query = [], an_id(rng)
    odd = rng.choice((0.0, 0.05))
    for _ in range(count):
        if rng.random() < 0.15:
            query = an_id(rng)
        if rng.random() < odd:
            out.append(rng.choice((b"\n", b"  \t \n", b"# note\n", b"\r\n", b"#\0\n", b"\n\n\n")))
        out.append(line(rng, query) + (b"\r\n" if rng.random() < odd else b"\n"))
    text = b"".join(out)
    for _ in range(rng.choice((0, 0, 0, 1, 1, 2))):
        text = damaged(rng, text)
    return rng.choice((b"", b"", b"", b"\xef\xbb\xbf")) + (text[:-1] if rng.random() < 0.2 else text)


def run_line(rng: Random, query: bytes) -> bytes:
    blank = rng.choice((b" ", b" ", b" ", b"\t", b"  \t"))
    doc = b"%d" % rng.randrange(10_000) if rng.random() < 0.5 else an_id(rng)
    return blank.join((query, b"Q0", doc, b"1", a_number(rng), b"tag"))


def qrels_line(rng: Random, query: bytes) -> bytes:
    return rng.choice((b" ", b"\t")).join((query, b"0", an_id(rng), rng.choice((b"0", b"1", b"-2", a_number(rng)))))


def pieces(rng: Random, text: bytes) -> Iterator[bytes]:
    """The text cut anywhere."""
    longest = rng.choice((1, 3, 70, 4096, 1 << 18))
    at = 0
    while at < len(text):
        size = rng.randint(1, longest)
        yield text[at : at + size]
        at += size


def judgements(rng: Random, seen: list[tuple[bytes, bytes]]) -> Qrels:
    """Judgements of some that the run returned and some that it did not."""
    judged: dict[bytes, dict[bytes, int]] = {an_id(rng): {} for _ in range(rng.randrange(3))}
    for query, doc in rng.sample(seen, min(len(seen), rng.choice((2, 10, 100)))):
        judged.setdefault(query, {})[doc] = rng.randrange(3)
    for query in list(judged):
        judged[query].update({an_id(rng): 1 for _ in range(rng.randrange(3))})
    return Qrels.from_dict(judged)


def options(rng: Random) -> Options:
    duplicates = rng.choice(("first", "last", "count", "error"))
    ties = rng.choice(("doc-descending", "doc-descending", "doc-ascending", "input"))
    return Options(ties, duplicates, rng.random() < 0.2, rng.random() < 0.4)
