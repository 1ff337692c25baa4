"""What an audit found, in the reader's language as far as there is one; the audit itself speaks English."""

from __future__ import annotations

import re
from functools import lru_cache

from truerank.board.audit import SAID, TOO_MANY_IDS
from truerank.board.processing import TOO_LONG

KOREAN: dict[str, str] = {
    SAID["unreadable"]: "{}줄을 읽을 수 없습니다. 줄마다 eval_id와 topk가 있는 JSON 객체 하나입니다",
    SAID["empty"]: "파일에 아무것도 없습니다",
    SAID["unknown-id"]: "공개된 질의가 아닌 ID {}개",
    SAID["wrong-type"]: "결과가 ID 목록이 아닌 줄 {}개",
    SAID["missing-id"]: "답이 없어 0점인 공개 질의 {}개",
    SAID["repeated-line"]: "여러 줄로 답한 질의 {}개",
    SAID["repeated-document"]: "같은 문서를 두 번 이상 낸 줄 {}개",
    SAID["too-many"]: "세는 것보다 결과가 많은 줄 {}개. 앞의 것만 셉니다",
    f"{{}} {TOO_MANY_IDS}": "한 목록에 결과 {}개가 있습니다. 최대 {}개까지 받습니다",
    TOO_LONG: (
        "처리 시간 {}초를 넘어 중단했습니다. 검사와 채점에 쓸 수 있는 최대 시간입니다. "
        "결과를 줄이고 한 덩어리로 압축하십시오"
    ),
    "the file is empty": "파일이 비어 있습니다",
    "a run line has 6 columns (query Q0 document rank score tag); this one has {}": (
        "런의 한 줄은 6열(질의 Q0 문서 순위 점수 태그)인데, 이 줄은 {}열입니다"
    ),
    "the score {} is no number": "점수 {}: 숫자가 아닙니다",
    "the score {} is not a finite number": "점수 {}: 유한한 숫자가 아닙니다",
    "document {} comes back twice for query {}, first in line {}": (
        "문서 {}: 질의 {}에 두 번 나옵니다. 처음은 {}번째 줄"
    ),
    "document {} comes back twice for query {}": "문서 {}: 질의 {}에 두 번 나옵니다",
}
"""The same in Korean; what follows, ids and places, stays."""


def told(message: str, language: str) -> tuple[str, str]:
    """A finding's message without the line that stands before it already, and in which language it is.

    >>> told("line 7: the score x is no number", "en"), told("line 7: the score x is no number", "ko")
    (('the score x is no number', 'en'), ('점수 x: 숫자가 아닙니다', 'ko'))
    """
    message = re.sub(r"^line \d+: ", "", message)
    if language == "ko":
        for pattern, korean in _patterns():
            if match := pattern.fullmatch(message):
                return korean.format(*match.groups("")), "ko"
    return message, "en"


@lru_cache(maxsize=1)
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    """The English with anything where its braces are, and more after it."""
    return [
        (re.compile(re.escape(english).replace(r"\{\}", "(.+?)") + "([:;,] .*)?", re.DOTALL), korean + "{}")
        for english, korean in KOREAN.items()
    ]
