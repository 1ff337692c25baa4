"""Rules and measures in plain sentences, in every language there is."""

from __future__ import annotations

from functools import lru_cache

from truerank.board.texts import LANGUAGES
from truerank.core.errors import TruerankError
from truerank.core.rules import Rules
from truerank.measures import parse_measure

RULES: dict[str, tuple[str, str]] = {
    "level": ("A grade of {} or more counts as relevant.", "등급이 {} 이상이면 관련 문서로 봅니다."),
    "depth": ("Only the first {} results of each query count.", "질의마다 처음 {}개 결과만 셉니다."),
    "ties-doc-descending": (
        "Documents with equal scores are ordered by their id, from the last to the first.",
        "점수가 같은 문서는 ID의 내림차순으로 놓습니다.",
    ),
    "ties-doc-ascending": (
        "Documents with equal scores are ordered by their id.",
        "점수가 같은 문서는 ID의 오름차순으로 놓습니다.",
    ),
    "ties-input": ("Results count in the order in which you list them.", "결과는 제출한 순서대로 셉니다."),
    "missing-zero": ("A query that you do not answer scores 0.", "답하지 않은 질의는 0점입니다."),
    "missing-skip": (
        "The official mean leaves out queries that you do not answer; in the strict one they score 0.",
        "공식 평균에서는 답하지 않은 질의를 빼고, 엄격 평균에서는 0점으로 셉니다.",
    ),
    "missing-error": ("Every query must be answered.", "모든 질의에 답해야 합니다."),
    "missing-lines": (
        "The official mean is over the lines that you send; in the strict one a missing line scores 0.",
        "공식 평균은 제출한 줄에 대한 평균이고, 엄격 평균에서는 빠진 줄을 0점으로 셉니다.",
    ),
    "without_relevant-zero": (
        "A query for which nothing is relevant scores 0.",
        "관련 문서가 없는 질의는 0점입니다.",
    ),
    "without_relevant-skip": (
        "Queries for which nothing is relevant are left out.",
        "관련 문서가 없는 질의는 평균에서 뺍니다.",
    ),
    "without_relevant-empty-is-right": (
        "Where nothing is relevant, an empty answer scores 1 and any other 0.",
        "관련 문서가 없는 질의는 빈 답이면 1점, 아니면 0점입니다.",
    ),
    "without_relevant-one": (
        "A query for which nothing is relevant scores 1, whatever is returned.",
        "관련 문서가 없는 질의는 무엇을 돌려주든 1점입니다.",
    ),
    "without_relevant-undefined": (
        "A query for which nothing is relevant is left out of the means of measures that would divide by 0 there.",
        "관련 문서가 없는 질의는 0으로 나누게 되는 측도의 평균에서 뺍니다.",
    ),
    "unjudged-graded": (
        "Each unjudged document counts as if it had one and the same grade.",
        "판정되지 않은 문서는 모두 같은 등급을 받은 것으로 봅니다.",
    ),
    "unjudged-not-relevant": (
        "A document that nobody judged counts as not relevant.",
        "아무도 판정하지 않은 문서는 관련이 없는 것으로 봅니다.",
    ),
    "unjudged-removed": (
        "Documents that nobody judged are removed before ranks are counted.",
        "아무도 판정하지 않은 문서는 순위를 세기 전에 뺍니다.",
    ),
    "unreturned-ignore": (
        "Judged documents that you do not return are ignored.",
        "제출하지 않은 판정 문서는 무시합니다.",
    ),
    "duplicates-error": (
        "No document may come back twice for a query.",
        "한 질의에 같은 문서를 두 번 낼 수 없습니다.",
    ),
    "duplicates-first": (
        "A document that comes back twice counts where it came first.",
        "두 번 나온 문서는 먼저 나온 것만 셉니다.",
    ),
    "duplicates-last": (
        "A document that comes back twice counts where it came last.",
        "두 번 나온 문서는 나중에 나온 것만 셉니다.",
    ),
    "duplicates-count": (
        "Officially a document that comes back twice counts twice; in the strict score it counts once.",
        "공식 점수에서는 두 번 나온 문서를 두 번 세고, 엄격 점수에서는 한 번만 셉니다.",
    ),
    "duplicates-once": (
        "A document that comes back twice counts once.",
        "두 번 나온 문서는 한 번만 셉니다.",
    ),
    "self_match-remove": (
        "A document whose id is the query's own is removed.",
        "질의와 ID가 같은 문서는 뺍니다.",
    ),
    "self_match-remove-from-answers": (
        "A document whose id is the query's own is removed from the answers; its judgement stays.",
        "질의와 ID가 같은 문서는 답에서만 빼고, 판정은 그대로 둡니다.",
    ),
    "score_precision-single": ("Scores are compared in single precision.", "점수는 단정밀도로 비교합니다."),
}

KOREAN: dict[str, str] = {
    "SetP": "돌려준 문서 전체 중 관련 문서의 비율.",
    "SetR": "관련 문서 중 돌려준 것의 비율.",
    "SetSuccess": "관련 문서를 하나라도 돌려주었는지: 1 또는 0.",
    "SetF": "돌려준 문서 전체의 정밀도와 재현율의 가중 조화평균. 기본은 F1.",
    "SetAP": "돌려준 순서가 무작위일 때 기대되는 평균 정밀도.",
    "P": "처음 k개 결과 중 관련 문서의 비율. 목록이 짧아도 k로 나눕니다.",
    "R": "관련 문서 중 처음 k개 결과에 든 것의 비율.",
    "F": "처음 k개 결과의 정밀도와 재현율의 가중 조화평균. 기본은 F1.",
    "Hits": "처음 k개 결과에 든 관련 문서의 수. 질의에 대한 합이 아니라 평균입니다.",
    "NCRR": "관련 문서마다 순위의 역수를 더해, 가능한 최댓값으로 나눈 값.",
    "PFound": "독자가 그만두기 전에 원하는 것을 찾을 확률. 어느 문서 뒤에서든 그만둘 수 있습니다.",
    "FirstRank": "첫 관련 문서의 순위. 처음 k개 안에 없으면 k + 1이고, 작을수록 좋습니다.",
    "MeanRank": "관련 문서 순위의 평균. 처음 k개 안에 없는 것은 k + 1이고, 작을수록 좋습니다.",
    "ARP": "판정된 문서의 등급 가중 평균 순위. 처음 k개 안에 없는 것은 k + 1이고, 작을수록 좋습니다.",
    "FallOut": "관련 없는 문서 중 처음 k개 결과에 든 것의 비율. 작을수록 좋습니다.",
    "MCC": "처음 k개 결과에 드는 것과 관련이 있는 것의 상관계수, −1에서 1.",
    "AUROC": "처음 k개 결과에서 관련 문서의 점수가 그렇지 않은 문서보다 높을 확률.",
    "Success": "처음 k개 결과에 관련 문서가 하나라도 있는지: 1 또는 0.",
    "RR": "첫 관련 문서가 얼마나 빨리 나오는지: 1위면 1, 2위면 1/2, 없으면 0.",
    "AP": "각 관련 문서 위치에서의 정밀도의 평균. 찾지 못한 문서는 0입니다.",
    "P divisor=returned": "처음 k개 결과(그보다 적으면 모든 결과) 중 관련 문서의 비율.",
    "R capped=True": "관련 문서(k개보다 많으면 k개) 중 처음 k개 결과에 든 것의 비율.",
    "AP divisor=hits": "돌려준 각 관련 문서 위치에서의 정밀도의 평균. 찾지 못한 문서는 세지 않습니다.",
    "AP divisor=capped": "각 관련 문서 위치에서의 정밀도의 합을 k개 결과에 들 수 있는 수로 나눈 값.",
    "AP area=trapezoid": "각 관련 문서 바로 앞과 그 위치에서의 정밀도의 평균. 찾지 못한 문서는 0입니다.",
    "AP ties=together": "점수가 같은 문서를 모두 센 뒤의, 각 관련 문서 위치에서의 정밀도의 평균.",
    "nDCG ideal=returned": "목록이 같은 길이의 최선의 순서에 얼마나 가까운지. 위쪽이 더 크게 반영됩니다.",
    "nDCG gain=binary": "목록이 최선의 순서에 얼마나 가까운지. 위쪽이 더 크게 반영되고 등급은 예와 아니요뿐입니다.",
    "nDCG ties=averaged": "점수가 같은 문서의 모든 순서에 대한 평균으로, 목록이 최선의 순서에 얼마나 가까운지.",
    "GMAP": "평균 정밀도의 기하평균. 가장 나쁜 질의가 가장 크게 반영됩니다.",
    "Rprec": "관련 문서 수만큼의 결과에서의 정밀도. 이때 정밀도와 재현율이 같습니다.",
    "Accuracy": "돌려준 문서 중 관련 문서가 그렇지 않은 문서보다 앞에 있을 확률.",
    "DCG": "점점 지치는 독자에게 목록이 갖는 가치: 순위에 따라 할인한 이득의 합.",
    "nDCG": "목록이 최선의 순서에 얼마나 가까운지. 위쪽과 높은 등급이 더 크게 반영됩니다.",
    "RBP": "다음 문서를 확률 p로 이어 읽는 독자가 읽은 문서에서 얻는 것.",
    "ERR": "독자가 만족하는 순위의 역수의 기댓값. 등급이 높을수록 더 자주 만족합니다.",
    "IPrec": "관련 문서의 이 비율을 찾을 때까지 얻을 수 있는 최선의 정밀도.",
    "AP11": "열한 개 재현율에서 보간한 정밀도의 평균.",
    "AUPRC": "정밀도-재현율 곡선 아래의 넓이.",
    "Bpref": "오답으로 판정된 문서가 관련 문서 앞에 서는 일이 얼마나 드문지. 판정되지 않은 문서는 빼고 셉니다.",
    "infAP": "일부만 무작위로 판정했을 때 추정한 평균 정밀도.",
    "Judged": "처음 k개 결과 중 판정된 것의 비율.",
    "mINP": "가장 찾기 어려운 관련 문서까지 모두 찾으려면 얼마나 읽어야 하는지: 모두 맨 앞이면 1.",
}
"""What each measure means; the English is the measure's own first line."""

RUN_KINDS = ("unreadable", "unknown-id", "missing-id", "repeated-document")
LINE_KINDS = (*RUN_KINDS, "wrong-type", "repeated-line", "too-many")
"""What an audit finds in a run, and in a file with an answer on each line."""


@lru_cache(maxsize=256)
def rules_in_words(rules: str, language: str) -> tuple[str, ...]:
    """What the rules decide, one sentence for each question that a team may ask.

    Args:
        rules: a preset's name or the path of a rules file.

    >>> rules_in_words("science-qa", "en")[1]
    'Results count in the order in which you list them.'
    """
    column = LANGUAGES.index(language)
    found = Rules.of(rules)
    said = []
    for field, value in found.to_dict().items():
        texts = RULES.get(f"{field}-{value}") or (RULES.get(field) if value is not None else None)
        if texts:
            said.append(texts[column].format(f"{value:g}" if isinstance(value, int | float) else value))
    return tuple(said)


@lru_cache(maxsize=1024)
def measure_in_words(measure: str, language: str) -> tuple[str, str]:
    """What a measure means, and in which language that is said.

    >>> measure_in_words("RR@10", "en")
    ('How soon the first relevant document comes: 1 at rank 1, 1/2 at rank 2, 0 when none comes.', 'en')
    """
    try:
        found = parse_measure(measure)
    except TruerankError:
        return "", "en"
    known = KOREAN.get(f"{found.name} {found.sense}".strip()) if language == "ko" else None
    if known and found.depth is None:
        return known, "ko"
    return (f"{known} 처음 {found.depth}개 결과만 봅니다.", "ko") if known else (found.meaning, "en")


@lru_cache(maxsize=256)
def faults(rules: str, accept: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which findings make a submission invalid, and which a board lets pass.

    >>> faults("truerank", ("missing-id", "too-many"))
    (('unreadable', 'unknown-id', 'repeated-document'), ('missing-id',))
    """
    found = Rules.of(rules)
    kinds = LINE_KINDS if found.unit == "line" else RUN_KINDS
    strictly = {"unreadable", "wrong-type"}
    strictly |= {"missing-id"} if found.missing == "error" else set()
    strictly |= {"unknown-id"} if found.extra == "error" or kinds is LINE_KINDS else set()
    strictly |= {"repeated-document"} if found.duplicates == "error" else set()
    passed = tuple(kind for kind in kinds if kind in accept and kind not in strictly)
    return tuple(kind for kind in kinds if kind not in passed), passed
