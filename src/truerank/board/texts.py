"""All words of the pages, in every language there is. Adding a language is adding a column."""

from __future__ import annotations

from collections.abc import Iterable

LANGUAGES = ("en", "ko")

TEXTS: dict[str, tuple[str, str]] = {
    "boards": ("Boards", "리더보드"),
    "no-boards": ("There is no board to see.", "볼 수 있는 리더보드가 없습니다."),
    "rank": ("Rank", "순위"),
    "team": ("Team", "팀"),
    "score": ("Score", "점수"),
    "interval": ("95% interval", "95% 신뢰구간"),
    "public-score": ("Public score", "공개 점수"),
    "private-score": ("Private score", "비공개 점수"),
    "shown-score": ("Shown on the board", "순위표에 표시된 점수"),
    "groups": ("Tied with", "동률 그룹"),
    "groups-meaning": (
        "Teams that share a letter cannot be told apart: a paired test of all pairs, 5% errors in all.",
        "같은 글자를 가진 팀은 서로 구별되지 않습니다: 모든 쌍의 대응 검정, 전체 오류 5%.",
    ),
    "entries": ("Entries", "제출 수"),
    "last": ("Last", "최근 제출"),
    "you": ("your team", "우리 팀"),
    "nobody": ("Nobody has been scored yet.", "아직 채점된 팀이 없습니다."),
    "history": ("History", "기록"),
    "open": ("open", "진행 중"),
    "closed": ("closed", "마감"),
    "not-yet-open": ("not yet open", "시작 전"),
    "opens": ("Opens", "시작"),
    "closes": ("Closes", "마감"),
    "rules": ("Rules", "규칙"),
    "measures": ("Measures", "평가 지표"),
    "ranks-by": ("Ranked by", "순위 기준"),
    "strict": ("strict", "엄격"),
    "official": ("official", "공식"),
    "part-all": ("all queries", "전체 질의"),
    "part-public": ("public queries", "공개 질의"),
    "part-private": ("private queries", "비공개 질의"),
    "in-all": ("in all", "전체"),
    "attempt-left": ("submission left now", "지금 남은 제출 횟수"),
    "attempts-left": ("submissions left now", "지금 남은 제출 횟수"),
    "ladder-note": (
        "A new best shows only when it is a real improvement.",
        "실질적으로 향상된 경우에만 새 최고 점수가 표시됩니다.",
    ),
    "sign-in": ("Sign in", "로그인"),
    "sign-out": ("Sign out", "로그아웃"),
    "signed-in-as": ("Signed in as", "로그인됨:"),
    "token": ("Token", "토큰"),
    "token-hint": (
        "Your host gave it to you; it begins with tr_.",
        "주최자에게 받은 토큰입니다. tr_로 시작합니다.",
    ),
    "wrong-token": ("This token is not valid.", "유효하지 않은 토큰입니다."),
    "submit": ("Submit", "제출"),
    "check": ("Check only", "검사만"),
    "file": ("File", "파일"),
    "label": ("Label", "이름표"),
    "label-hint": ("Only you and the hosts see it.", "본인과 주최자에게만 보입니다."),
    "submissions": ("Submissions", "제출 목록"),
    "submission": ("Submission", "제출"),
    "own-submissions": ("Your submissions", "내 제출"),
    "no-submissions": ("There is no submission yet.", "아직 제출이 없습니다."),
    "state": ("State", "상태"),
    "state-received": ("received", "수신됨"),
    "state-refused": ("invalid", "무효"),
    "state-over": ("over the limit", "횟수 초과"),
    "state-accepted": ("being scored", "채점 중"),
    "state-scored": ("scored", "채점 완료"),
    "state-failed": ("could not be scored", "채점 실패"),
    "costs-nothing": ("It costs no attempt.", "제출 횟수에 포함되지 않습니다."),
    "audit": ("Audit", "검사 결과"),
    "audit-clean": ("Nothing is wrong with it.", "문제가 없습니다."),
    "refuses": ("makes it invalid", "무효 사유"),
    "remark": ("remark", "참고"),
    "rows": ("rows", "행"),
    "answered": ("queries answered", "답한 질의"),
    "missing": ("missing", "누락"),
    "measure": ("Measure", "지표"),
    "query": ("Query", "질의"),
    "received": ("Received", "제출 시각"),
    "size": ("Size", "크기"),
    "hosting": ("Hosting", "운영"),
    "teams": ("Teams and hosts", "팀과 운영자"),
    "role": ("Role", "역할"),
    "role-team": ("team", "팀"),
    "role-host": ("host", "운영자"),
    "name": ("Name", "이름"),
    "add": ("Add", "추가"),
    "new-token": ("New token", "새 토큰"),
    "new-token-once": ("Write it down: nobody will see it again.", "적어 두십시오. 다시 볼 수 없습니다."),
    "revoke": ("Revoke", "폐기"),
    "revoked": ("revoked", "폐기됨"),
    "close-board": ("Close", "마감하기"),
    "reopen-board": ("Reopen", "다시 열기"),
    "export": ("Export", "내보내기"),
    "error": ("This did not work", "처리할 수 없습니다"),
    "back": ("Back", "돌아가기"),
    "pending": ("being computed", "계산 중"),
    "finding-empty": ("empty file", "빈 파일"),
    "finding-unreadable": ("cannot be read", "읽을 수 없음"),
    "finding-unknown-id": ("unknown query", "알 수 없는 질의"),
    "finding-wrong-type": ("wrong type", "잘못된 형식"),
    "finding-missing-id": ("missing query", "누락된 질의"),
    "finding-repeated-line": ("repeated query", "중복된 질의"),
    "finding-repeated-document": ("repeated document", "중복된 문서"),
    "finding-too-many": ("too many results", "결과 수 초과"),
    "finding-too-many-ids": ("list too long", "너무 긴 목록"),
    "finding-processor-time": ("takes too long", "처리 시간 초과"),
    "register": ("Register", "참가 신청"),
    "register-lead": (
        "Ask to take part. Your token lets you in once a host has approved.",
        "참가를 신청합니다. 운영자가 승인하면 토큰으로 로그인할 수 있습니다.",
    ),
    "registered": (
        "Your registration waits for a host's approval.",
        "참가 신청이 접수되어 운영자의 승인을 기다립니다.",
    ),
    "not-approved": (
        "A host has not approved this registration yet. Try again later.",
        "운영자가 아직 이 참가 신청을 승인하지 않았습니다. 나중에 다시 시도하십시오.",
    ),
    "team-name": ("Team name", "팀 이름"),
    "contact": ("Who you are", "신청자 정보"),
    "contact-hint": (
        "Only hosts see it: for example your institution and an address.",
        "운영자만 봅니다. 예: 소속과 연락처.",
    ),
    "ask": ("Ask to take part", "신청하기"),
    "registrations": ("Registrations to approve", "승인을 기다리는 참가 신청"),
    "approve": ("Approve", "승인"),
    "turn-away": ("Refuse", "거절"),
    "download": ("Download", "내려받기"),
    "unranked": ("Entries that are not ranked", "순위에서 제외된 제출"),
    "mark-withdrawn": ("withdrawn", "철회됨"),
    "mark-disqualified": ("disqualified", "실격"),
    "mark-withdrawn-lead": (
        "A host withdrew this entry; it is not ranked.",
        "운영자가 이 제출을 철회했습니다. 순위에서 제외됩니다.",
    ),
    "mark-disqualified-lead": (
        "A host disqualified this entry; it is not ranked.",
        "운영자가 이 제출을 실격 처리했습니다. 순위에서 제외됩니다.",
    ),
    "take-out": ("Take out of the standings", "순위에서 제외"),
    "withdraw": ("Withdraw", "철회"),
    "disqualify": ("Disqualify", "실격 처리"),
    "reinstate": ("Rank it again", "다시 순위에 넣기"),
    "reason": ("Reason", "사유"),
    "reason-hint": ("Everybody who sees the board may read it.", "리더보드를 보는 모든 사람이 읽을 수 있습니다."),
    "final": ("final", "최종"),
    "is-final": ("This entry counts at the end.", "이 제출은 최종 순위에 반영됩니다."),
    "choose": ("Choose as final", "최종 제출로 선택"),
    "give-up": ("Do not count it at the end", "최종 선택 취소"),
    "finals-note": (
        "A team chooses up to {} entries to count at the end; without a choice its best public one counts.",
        "팀은 최종 순위에 반영할 제출을 {}개까지 고릅니다. 고르지 않으면 공개 점수가 가장 높은 제출이 반영됩니다.",
    ),
    "processor": ("Processor time", "처리 시간"),
    "seconds": ("{} seconds", "{}초"),
    "skip": ("Skip to the content", "본문으로 건너뛰기"),
    "language-en": ("English", "English"),
    "language-ko": ("한국어", "한국어"),
    "language": ("Language", "언어"),
    "main-menu": ("Menu", "메뉴"),
    "made-with": ("Scored by truerank", "채점: truerank"),
    "as-json": ("This page as JSON", "이 페이지의 JSON"),
    "api": ("API", "API"),
    "boards-lead": (
        "Submit a file, be scored, and see where you stand and how sure that is.",
        "파일을 제출하면 채점하고, 순위와 그 확실함을 보여 줍니다.",
    ),
    "teams-scored": ("Teams", "팀"),
    "leader": ("First", "1위"),
    "leaders": ("{} teams", "공동 {}팀"),
    "in-days": ("in {} days", "{}일 후"),
    "in-hours": ("in {} hours", "{}시간 후"),
    "in-minutes": ("in {} minutes", "{}분 후"),
    "queries": ("Queries", "질의"),
    "limits": ("Limits", "제한"),
    "limits-text": ("{} a day, {} in all", "하루 {}회, 모두 {}회"),
    "standings": ("Standings", "순위표"),
    "up": ("up {}", "{}계단 상승"),
    "down": ("down {}", "{}계단 하락"),
    "same": ("unchanged", "그대로"),
    "lead-shared": (
        "{team} is first, but cannot be told apart from {others}.",
        "1위는 {team}입니다. 그러나 다음 팀과 통계적으로 구별되지 않습니다: {others}.",
    ),
    "lead-many": ("{} teams share first place.", "{}팀이 공동 1위입니다."),
    "and-more": (" and {} more", " 외 {}팀"),
    "lead-alone": (
        "{team} is first, and that is more than chance: no other team shares its letter.",
        "1위는 {team}입니다. 같은 글자를 가진 다른 팀이 없으므로 우연이 아닙니다.",
    ),
    "interval-meaning": (
        "The bar is the 95% interval of the score: where it may lie with other queries of the same kind.",
        "막대는 점수의 95% 신뢰구간입니다: 같은 종류의 다른 질의라면 점수가 놓일 범위입니다.",
    ),
    "public-note": (
        "Until the end, {share} of the queries rank, chosen in secret. The others decide after closing.",
        "마감까지는 비밀리에 고른 질의 {share}로 순위를 매깁니다. 마감 후에는 나머지 질의가 순위를 결정합니다.",
    ),
    "private-note": (
        "The contest is over. The private queries rank now; the public score stands beside.",
        "대회가 끝났습니다. 이제 비공개 질의로 순위를 매기고, 공개 점수는 옆에 둡니다.",
    ),
    "digits-note": (
        "Scores are shown and ranked with {} digits.",
        "점수는 소수점 아래 {}자리로 표시하고 순위를 매깁니다.",
    ),
    "official-note": (
        "This board ranks by the official score of its rules. What can be gamed in it, the audit names.",
        "이 리더보드는 규칙의 공식 점수로 순위를 매깁니다. 점수를 부풀릴 수 있는 점은 검사가 알려 줍니다.",
    ),
    "strict-note": (
        "This board ranks by the strict score: missing answers are 0 and repeats are worth nothing.",
        "이 리더보드는 엄격 점수로 순위를 매깁니다: 빠진 답은 0점이고, 중복은 점수가 되지 않습니다.",
    ),
    "how-it-ranks": ("How it is scored", "채점 방법"),
    "ranks": ("ranks", "순위 기준"),
    "history-lead": ("The best score shown of each team, over time.", "시간에 따른 팀별 최고 공개 점수입니다."),
    "history-as-table": ("The same as a table", "표로 보기"),
    "from": ("Since", "시점"),
    "others": ("other teams", "다른 팀"),
    "live": ("The standings have changed.", "순위표가 바뀌었습니다."),
    "nobody-yet": ("Be the first.", "첫 제출을 기다립니다."),
    "submit-file": ("Submit a file", "파일 제출"),
    "submit-now": ("Submit to this board", "이 리더보드에 제출"),
    "see-own": ("Your submissions", "내 제출"),
    "sign-in-to-submit": ("Sign in to submit", "로그인하고 제출"),
    "file-hint": (
        "A run or answers as text: TREC, JSON, JSON Lines, CSV or TSV; also as .gz, .zst, .bz2 or .xz.",
        "런 또는 답 파일: TREC, JSON, JSON Lines, CSV, TSV. .gz, .zst, .bz2, .xz로 압축해도 됩니다.",
    ),
    "file-most": (
        "At most {sent} as sent, {unpacked} decompressed.",
        "보낼 때 최대 {sent}, 압축을 풀어 최대 {unpacked}.",
    ),
    "file-too-large": ("This file is larger than {}.", "이 파일은 {}보다 큽니다."),
    "what-to-do": ("What to do with it", "할 일"),
    "submit-hint": (
        "Scored at once; a valid file uses one attempt.",
        "바로 채점합니다. 올바른 파일이면 제출 횟수 1회를 씁니다.",
    ),
    "check-hint": ("Only the audit, as often as you like.", "검사만 합니다. 횟수 제한이 없습니다."),
    "send": ("Send", "보내기"),
    "sending": ("Sending…", "보내는 중…"),
    "optional": ("optional", "선택"),
    "today": ("Today", "오늘"),
    "used": ("{used} of {most} used", "{most}회 중 {used}회 사용"),
    "day-begins": ("A day begins at midnight, {}.", "하루는 {} 자정에 시작합니다."),
    "refused-for": (
        "A file is invalid, and costs nothing, when it has:",
        "다음이 있으면 무효이며, 횟수에 포함되지 않습니다:",
    ),
    "let-pass": ("These pass, but earn nothing:", "다음은 통과하지만 점수가 되지 않습니다:"),
    "by-command": ("From the command line", "명령줄에서 제출"),
    "not-open-now": ("Nothing is taken now.", "지금은 제출을 받지 않습니다."),
    "no-attempts-now": ("No attempts are left now.", "지금은 남은 제출 횟수가 없습니다."),
    "by-team": ("By", "제출 팀"),
    "verdict-valid": ("This file is valid.", "올바른 파일입니다."),
    "verdict-invalid": ("This file is invalid.", "무효한 파일입니다."),
    "scored-lead": ("Your file was scored.", "파일을 채점했습니다."),
    "refused-lead": ("Your file is invalid and was not scored.", "파일이 무효라서 채점하지 않았습니다."),
    "over-lead": ("No attempts were left, so it was not scored.", "남은 제출 횟수가 없어 채점하지 않았습니다."),
    "wait-lead": (
        "It is being audited and scored. This page looks again by itself.",
        "검사와 채점 중입니다. 이 페이지는 스스로 다시 불러옵니다.",
    ),
    "failed-lead": (
        "It could not be scored, through no fault of yours. The host can see it.",
        "채점하지 못했습니다. 제출자의 잘못이 아니며, 운영자가 확인할 수 있습니다.",
    ),
    "hidden-lead": (
        "This board hides the scores of single submissions; what counts is on the board.",
        "이 리더보드는 제출별 점수를 숨깁니다. 순위표의 점수를 보십시오.",
    ),
    "results": ("Results", "결과"),
    "by-query": ("By query", "질의별"),
    "line": ("Line", "줄"),
    "lines": ("Lines", "줄"),
    "fault-count": ("{} found", "{}건"),
    "format": ("Format", "형식"),
    "cannot-undo": ("This cannot be undone.", "되돌릴 수 없습니다."),
    "closing-means": (
        "Nothing more is taken, and private scores are shown to everybody.",
        "더는 제출을 받지 않고, 비공개 점수를 모두에게 보여 줍니다.",
    ),
    "confirm": ("Yes, {}", "예, {}"),
    "since": ("since", "발급"),
    "copy": ("Copy", "복사"),
    "copied": ("Copied", "복사됨"),
    "no-token": ("no token", "토큰 없음"),
    "host-lead": ("Teams, their tokens, and the boards' ends.", "팀과 토큰, 리더보드의 마감을 다룹니다."),
    "sign-in-lead": (
        "A token stands for your team. Keep it to yourselves.",
        "토큰은 팀을 대신합니다. 팀 밖에 알리지 마십시오.",
    ),
    "problem-400": ("This request is no good", "잘못된 요청입니다"),
    "problem-401": ("Sign in first", "먼저 로그인하십시오"),
    "problem-403": ("This is not for your role", "권한이 없습니다"),
    "problem-404": ("There is no such page", "없는 페이지입니다"),
    "problem-404-what": (
        "It is not here, or it is not yours to see.",
        "여기에 없거나, 볼 수 있는 권한이 없습니다.",
    ),
    "problem-405": ("This cannot be done here", "여기서는 할 수 없습니다"),
    "problem-408": ("The file did not arrive", "파일이 도착하지 않았습니다"),
    "problem-409": ("Not now", "지금은 할 수 없습니다"),
    "problem-413": ("Too large", "너무 큽니다"),
    "problem-413-what": (
        "Compress the file (.gz, .zst), or send only as many results as count.",
        "파일을 압축하거나(.gz, .zst), 점수에 세는 결과만 보내십시오.",
    ),
    "problem-422": ("This file or form is not right", "파일이나 양식이 올바르지 않습니다"),
    "problem-429": ("Too often", "너무 잦습니다"),
    "problem-429-what": ("Wait a little, then try again.", "잠시 기다렸다가 다시 시도하십시오."),
    "problem-500": ("A fault of the service", "서비스 오류입니다"),
    "problem-503": ("Not now", "지금은 할 수 없습니다"),
    "no-attempts": ("No attempts are left", "남은 제출 횟수가 없습니다"),
    "finding-columns": ("wrong number of columns", "열 수 오류"),
    "finding-score-no-number": ("score is no number", "숫자가 아닌 점수"),
    "finding-score-not-finite": ("score is not finite", "유한하지 않은 점수"),
    "finding-control-character": ("control character", "제어 문자"),
    "finding-long-line": ("very long line", "지나치게 긴 줄"),
    "finding-header": ("header line", "머리글 줄"),
    "finding-bom": ("byte order mark", "바이트 순서 표시"),
    "finding-crlf": ("Windows line ends", "Windows 줄바꿈"),
    "finding-rank-order": ("ranks against scores", "점수와 어긋난 순위"),
    "finding-rank-no-number": ("rank is no number", "숫자가 아닌 순위"),
    "finding-rising-scores": ("rising scores", "오름차순 점수"),
    "finding-equal-scores": ("equal scores", "같은 점수"),
    "finding-tags": ("several tags", "여러 태그"),
    "finding-query-ids": ("query ids", "질의 ID"),
    "finding-shallow": ("few results", "적은 결과"),
    "finding-deep": ("many results", "많은 결과"),
    "mend-empty": ("Send a file with at least one line.", "한 줄 이상 있는 파일을 보내십시오."),
    "mend-unreadable": ("Mend these lines; each must be whole.", "이 줄들을 고치십시오. 줄마다 온전해야 합니다."),
    "mend-unknown-id": (
        "These are not among this contest's queries: look for a spelling, or for another contest's file.",
        "이 대회의 질의가 아닙니다. 철자를 확인하거나, 다른 대회의 파일이 아닌지 보십시오.",
    ),
    "mend-wrong-type": ("Write the results as a list of ids.", "결과를 ID의 목록으로 쓰십시오."),
    "mend-missing-id": ("Each one scores 0: answer all of them.", "하나마다 0점입니다. 모두 답하십시오."),
    "mend-repeated-line": ("Keep one line for each query.", "질의마다 한 줄만 두십시오."),
    "mend-repeated-document": ("Keep each document once in a query.", "질의마다 같은 문서는 한 번만 두십시오."),
    "mend-too-many": ("Leave out what does not count.", "세지 않는 결과는 빼십시오."),
    "mend-columns": (
        "A TREC run has six columns: query, Q0, document, rank, score, tag.",
        "TREC 런은 여섯 열입니다: 질의, Q0, 문서, 순위, 점수, 태그.",
    ),
    "mend-score-no-number": ("Write the score as a number, such as 12.5.", "점수를 12.5와 같은 숫자로 쓰십시오."),
    "mend-score-not-finite": (
        "Write a number; NaN and infinity cannot be ordered.",
        "숫자로 쓰십시오. NaN과 무한대는 순서가 없습니다.",
    ),
}


MANY = {"en": ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")}
"""Small numbers at the beginning of a sentence, in languages that write them as words."""


class Words:
    """The words in one language: words("rank").

    >>> Words("ko")("rank"), Words("en")("rank"), Words("en")("no such key")
    ('순위', 'Rank', 'no such key')
    """

    def __init__(self, language: str):
        self.language = language
        self._column = LANGUAGES.index(language)

    def __call__(self, key: str) -> str:
        """The text of a key; an unknown key is its own text."""
        return TEXTS[key][self._column] if key in TEXTS else key

    def many(self, number: int) -> str:
        """How many, at the beginning of a sentence.

        >>> Words("en").many(4), Words("ko").many(4), Words("en").many(12)
        ('Four', '4', '12')
        """
        words = MANY.get(self.language, ())
        return words[number] if number < len(words) else str(number)


def chosen(asked: str | None, accepted: str | None) -> str:
    """The language to answer in.

    Args:
        asked: ?lang= or what a cookie remembers.
        accepted: the Accept-Language header.

    >>> chosen(None, "fr, ko-KR;q=0.8, en;q=0.3"), chosen("en", "ko"), chosen("xx", None)
    ('ko', 'en', 'en')
    """
    if asked in LANGUAGES:
        return str(asked)
    return next((word for word in _by_preference(accepted or "") if word in LANGUAGES), LANGUAGES[0])


def _by_preference(header: str) -> Iterable[str]:
    weighted = []
    for place, entry in enumerate(header.split(",")[:20]):
        word, _, rest = entry.partition(";")
        _, _, weight = rest.partition("q=")
        try:
            weighted.append((-float(weight or 1), place, word.strip().lower().partition("-")[0]))
        except ValueError:
            continue
    return [word for _, _, word in sorted(weighted)]
