"""The ledger and the procedure of a comparison as plain Korean sentences, as `ledger` and `cautions` say them."""

from __future__ import annotations

from collections.abc import Sequence

from truerank.compare import Comparison
from truerank.errors import shown
from truerank.report.few import ENOUGH, USUAL
from truerank.scores import Scores

_MISSING = {"zero": "0점"}
_BARREN = {"zero": "0점", "empty-is-right": "답이 없으면 1점"}
_ORDERS = {
    "doc-descending": "문서 id의 내림차순",
    "doc-ascending": "문서 id의 오름차순",
    "input": "런에 적힌 순서",
}
_REPEATED = {"first": "첫 번째만 인정", "last": "마지막만 인정", "count": "모두 인정", "once": "첫 번째만 인정"}
_TESTS = {
    "randomization": "짝지은 무작위화 검정",
    "t": "짝지은 t 검정",
    "wilcoxon": "윌콕슨 부호순위 검정",
    "sign": "부호 검정",
    "tukey": "질의와 시스템에 대한 Tukey HSD",
}


def counted(scores: Scores) -> str:
    """How many queries there were and how many were answered."""
    ledger = scores.ledger
    text = f"판정된 질의 {ledger.judged:,}개 중 {ledger.answered:,}개에 답했습니다."
    if scores.rules.missing == "lines":
        text += f" 평균은 제출된 {ledger.evaluated:,}줄에 대한 것입니다."
    elif ledger.evaluated != ledger.judged:
        text += f" 평균은 질의 {ledger.evaluated:,}개에 대한 것입니다."
    return text


def remarks(scores: Scores) -> list[str]:
    """A sentence for each thing that a reader of the mean should know."""
    ledger, rules = scores.ledger, scores.rules
    missing, barren = _MISSING.get(rules.missing, "제외"), _BARREN.get(rules.without_relevant, "제외")
    said = {
        "missing": f"답이 없는 질의 {{:,}}개 ({missing})",
        "extra": "답했지만 판정이 없는 질의 {:,}개 (제외)",
        "without_relevant": f"관련 문서가 없는 질의 {{:,}}개 ({barren})",
        "tied": f"동점의 순서가 값을 바꾸는 질의 {{:,}}개 (여기서는 {_ORDERS[rules.ties]})",
    }
    sentences = [
        f"{text.format(number)}: {_ids(ledger.examples.get(key, ()), number)}."
        for key, text in said.items()
        if (number := getattr(ledger, key))
    ]
    if ledger.duplicates:
        how = _REPEATED.get(rules.duplicates, "거부")
        sentences.append(f"같은 질의에 문서가 되풀이되는 행 {ledger.duplicates:,}개 ({how}).")
    if ledger.interleaved:
        sentences.append("일부 질의의 행이 흩어져 있어 한데 모았습니다.")
    return sentences


def made(found: Comparison) -> list[str]:
    """How systems were compared, and whether there are enough queries."""
    how = found.procedure
    told = [f"구간: 신뢰수준 {how.confidence * 100:.4g} %, 재표집 {how.samples:,}회, 시드 {how.seed}."]
    if len(found.systems) > 1:
        is_corrected = how.correction != "none" and max(len(outcome.pairs) for outcome in found.outcomes) > 1
        corrected = f", {how.correction} 보정" if is_corrected else ""
        told.insert(0, f"p: {_TESTS[how.test]}{corrected}. {how.alpha:g} 이하이면 유의합니다.")
        told.append("승/무/패: 더 나은, 같은, 못한 질의의 수.")
    if len(found.systems) > 2 and how.all_pairs:
        told.append("같은 그룹의 시스템은 구별되지 않습니다.")
    return told


def few(queries: int) -> list[str]:
    """What to say about so many queries."""
    if queries < ENOUGH:
        return [f"주의: 질의 {queries}개로는 믿기 어렵습니다. 적어도 {ENOUGH}개, 되도록 {USUAL}개를 쓰세요."]
    return [f"참고: 질의 {queries}개. {USUAL}개 이상이 보통입니다."] if queries < USUAL else []


def _ids(examples: Sequence[str], number: int) -> str:
    return ", ".join(map(shown, examples)) + (", …" if len(examples) < number else "")
