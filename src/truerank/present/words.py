"""The catalogue of texts: by a key, in English and in Korean; "one|many" where a number n decides."""

TEXTS: dict[str, tuple[str, str]] = {
    # what is counted
    "queries": ("{n:,} query|{n:,} queries", "질의 {n:,}개"),
    "lines": ("{n:,} submitted line|{n:,} submitted lines", "제출된 {n:,}줄"),
    # the page itself
    "title": ("Retrieval report", "검색 평가 보고서"),
    "skip": ("Skip to the results", "결과로 건너뛰기"),
    "contents": ("Contents", "차례"),
    "dark": ("Dark", "어둡게"),
    "light": ("Light", "밝게"),
    "numbers": ("Data table", "수치 보기"),
    "drag": (
        "Point at a mark to read its values. Drag to move, Ctrl + wheel to zoom, double-click to reset; "
        "click a name in the legend to highlight it.",
        "표시에 마우스를 올리면 값이 보입니다. 끌어서 이동, Ctrl + 휠로 확대, 두 번 클릭하면 되돌아갑니다. "
        "범례의 이름을 누르면 강조됩니다.",
    ),
    "tap": (
        "Tap a mark to read its values; tap a name in the legend to highlight it.",
        "표시를 누르면 값이 보입니다. 범례의 이름을 누르면 강조됩니다.",
    ),
    "save svg": ("Save as SVG", "SVG로 저장"),
    "save png": ("Save as PNG", "PNG로 저장"),
    "no script": (
        "The figures and the table of queries need JavaScript; everything else is here without it.",
        "그림과 질의별 표는 JavaScript가 필요합니다. 나머지는 그대로 볼 수 있습니다.",
    ),
    "too old": (
        "This browser is too old to open the per-query data; use one from 2023 or later.",
        "이 브라우저는 질의 데이터를 열 수 없습니다. 2023년 이후의 브라우저를 사용하세요.",
    ),
    "made by": ("Made by truerank {version}.", "truerank {version}로 만들었습니다."),
    "to scroll": ("{title} (scrolls sideways)", "{title} (옆으로 스크롤)"),
    # the headline
    "headline": ("Result", "결과"),
    "best": (
        "{best} has the best {measure}: {mean} ({confidence} % interval {limits}; {queries}).",
        "{measure} 기준으로 가장 좋은 시스템은 {best}입니다: {mean} ({confidence} % 신뢰구간 {limits}, {queries}).",
    ),
    "alone": (
        "{best}: {measure} {mean} ({confidence} % interval {limits}; {queries}).",
        "{best}: {measure} {mean} ({confidence} % 신뢰구간 {limits}, {queries}).",
    ),
    "limits": ("{low} to {high}", "{low}–{high}"),
    "best count": ("{best}: {measure} {mean} ({queries}).", "{best}: {measure} {mean} ({queries})."),
    "beats all": (
        "It is significantly better than every other system.",
        "다른 모든 시스템보다 유의하게 낫습니다.",
    ),
    "beats these": ("It is significantly better than {beaten}.", "{beaten}보다 유의하게 낫습니다."),
    "beats some": (
        "It is significantly better than {beaten}. It cannot be told apart from {others}.",
        "{beaten}보다 유의하게 낫습니다. {others}와(과)는 구별되지 않습니다.",
    ),
    "beats nobody": (
        "It cannot be told apart from {others}: the differences may be chance.",
        "{others}와(과)는 구별되지 않습니다. 차이는 우연일 수 있습니다.",
    ),
    "not compared": ("It was not compared to {others}.", "{others}와(과)는 비교하지 않았습니다."),
    "means": ("All measures", "모든 측도"),
    "in percent": ("Scores are in percent; curves are in fractions.", "점수는 백분율, 곡선은 비율입니다."),
    "in percent, except": (
        "Scores are in percent, except {others}; curves are in fractions.",
        "점수는 {others}를 빼고 백분율, 곡선은 비율입니다.",
    ),
    "letters": (
        "A letter behind a mean: significantly better than the system of that letter.",
        "평균 뒤의 글자: 그 글자의 시스템보다 유의하게 낫습니다.",
    ),
    "measure by measure": ("Other measures", "다른 측도"),
    "systems by": ("Systems by {measure}", "{measure} 기준 시스템"),
    "pairs by": ("Pairs of systems by {measure}", "{measure} 기준 시스템 쌍"),
    "intervals": ("Means with {confidence} % intervals", "평균과 {confidence} % 신뢰구간"),
    "intervals alt": (
        "One dot per system and measure at its mean; the line spans its interval.",
        "시스템과 측도마다 점은 평균, 선은 신뢰구간입니다.",
    ),
    "intervals best": ("Best by {measure}: {best}.", "{measure} 기준 1위: {best}."),
    "baseline": ("baseline", "기준"),
    "unknown": ("unknown", "알 수 없음"),
    "mean": ("mean", "평균"),
    "low": ("from", "하한"),
    "high": ("to", "상한"),
    # the ledger
    "ledger": ("Coverage", "질의 현황"),
    "judged": ("{queries} judged, {answered:,} answered.", "판정된 {queries} 중 {answered:,}개에 답했습니다."),
    "mean over": ("The mean is over {queries}.", "평균은 {queries}에 대한 것입니다."),
    "mean over lines": (
        "The mean is over {n:,} submitted line.|The mean is over {n:,} submitted lines.",
        "평균은 제출된 {n:,}줄에 대한 것입니다.",
    ),
    "missing": ("{n:,} missing ({how}): {ids}.", "답이 없는 질의 {n:,}개 ({how}): {ids}."),
    "extra": ("{n:,} answered but not judged ({how}): {ids}.", "답했지만 판정이 없는 질의 {n:,}개 ({how}): {ids}."),
    "without_relevant": (
        "{n:,} without a relevant document ({how}): {ids}.",
        "관련 문서가 없는 질의 {n:,}개 ({how}): {ids}.",
    ),
    "undefined": (
        "{measure} has no value for {n:,} query, which its mean leaves out.|"
        "{measure} has no value for {n:,} queries, which its mean leaves out.",
        "{measure}: 값이 없는 질의 {n:,}개를 평균에서 뺐습니다.",
    ),
    "ties": (
        "{n:,} decided by the order of equal scores (here {how}): {ids}.",
        "동점의 순서가 값을 바꾸는 질의 {n:,}개 (여기서는 {how}): {ids}.",
    ),
    "duplicates": (
        "{n:,} row repeats a document of its query ({how}).|{n:,} rows repeat a document of its query ({how}).",
        "같은 질의에 문서가 되풀이되는 행 {n:,}개 ({how}).",
    ),
    "swapped": (
        "The qrels look like a run and the run like qrels (grades are fractions, scores small whole numbers): "
        "are the two swapped?",
        "정답은 실행 결과처럼, 실행 결과는 정답처럼 보입니다(등급은 소수, 점수는 작은 정수). 두 입력이 뒤바뀌지 "
        "않았습니까?",
    ),
    "foreign": (
        "Not among the measures of the rules {rules}, so read as truerank reads them: {measures}.",
        "규칙 {rules}의 측도에 없어 truerank의 정의를 따른 측도: {measures}.",
    ),
    "interleaved": (
        "The rows of some queries are scattered over the run; they were put together.",
        "일부 질의의 행이 흩어져 있어 한데 모았습니다.",
    ),
    "audited": (
        "{measure}: official {official!r}, strict {strict!r}.",
        "{measure}: 공식 점수 {official!r}, 엄격 점수 {strict!r}.",
    ),
    # how far to trust it
    "trust": ("Reliability", "신뢰도"),
    "too few": (
        "Warning: {n} query is too few to rely on; take at least {enough}, better {usual}."
        "|Warning: {n} queries are too few to rely on; take at least {enough}, better {usual}.",
        "주의: 질의 {n}개로는 믿기 어렵습니다. 적어도 {enough}개, 되도록 {usual}개를 쓰세요.",
    ),
    "rather few": (
        "Remark: {n} queries; {usual} or more are usual.",
        "참고: 질의 {n}개. {usual}개 이상이 보통입니다.",
    ),
    # curves
    "curves": ("Curves", "곡선"),
    "pr": ("Precision against recall", "재현율에 따른 정밀도"),
    "pr alt": (
        "One line per system: interpolated precision at eleven recall levels, the mean of {queries}. Higher "
        "is better.",
        "시스템마다 선 하나: 재현율 11점에서의 보간 정밀도, {queries}의 평균. 높을수록 좋습니다.",
    ),
    "cmc": ("Queries with a relevant document in the first k (CMC)", "처음 k개 안에 관련 문서가 있는 질의 (CMC)"),
    "cmc alt": (
        "One line per system: the share of {queries} with a relevant document among the first k results. "
        "Higher is better.",
        "시스템마다 선 하나: 처음 k개 결과에 관련 문서가 있는 질의의 비율 ({queries}). 높을수록 좋습니다.",
    ),
    "recall": ("recall", "재현율"),
    "precision": ("precision", "정밀도"),
    "first k": ("first k results", "처음 k개 결과"),
    "share of queries": ("share of queries", "질의의 비율"),
    # queries
    "per query": ("Per-query results", "질의별 결과"),
    "per query lead": (
        "Click a query to see what each system returned, which documents are relevant, and how its score is "
        "computed.",
        "질의를 누르면 각 시스템의 결과와 관련 문서, 점수의 계산 과정을 볼 수 있습니다.",
    ),
    "differences": ("Per-query differences", "질의별 차이"),
    "differences alt": (
        "One line per system: its {measure} minus that of {reference} on each query, from the largest gain "
        "to the largest loss. Above 0 is better.",
        "시스템마다 선 하나: 질의마다 {measure}에서 {reference}의 값을 뺀 차이를 큰 순서로 늘어놓았습니다. "
        "0보다 위면 더 낫습니다.",
    ),
    "query order": ("queries, largest gain first", "질의 (이득이 큰 순서)"),
    "difference": ("difference", "차이"),
    "differing": ("Queries where {measure} differs most", "{measure} 차이가 가장 큰 질의"),
    "worst": ("Queries where {measure} is lowest", "{measure} 값이 가장 낮은 질의"),
    "all queries": ("All queries", "모든 질의"),
    "left measures": (
        "The table shows {kept} of {all} measures: with {queries}, more would make this page too large.",
        "표에는 측도 {all}개 가운데 {kept}개만 있습니다. {queries}라 더 넣으면 페이지가 너무 커집니다.",
    ),
    "left queries": (
        "The table shows the {kept:,} of {all:,} queries that differ most; more would make this page too large.",
        "표에는 질의 {all:,}개 가운데 차이가 가장 큰 {kept:,}개만 있습니다. 나머지를 넣으면 페이지가 너무 "
        "커집니다.",
    ),
    "left depth": (
        "This page includes the first {k} results of each list.",
        "이 페이지에는 목록마다 처음 {k}개 결과가 들어 있습니다.",
    ),
    "left lists": (
        "Result lists are included for the {kept:,} of {all:,} queries that differ most.",
        "결과 목록은 질의 {all:,}개 가운데 차이가 가장 큰 {kept:,}개에 대해서만 있습니다.",
    ),
    "left worked": (
        "The computation is included for the {kept:,} of {all:,} queries that differ most; for any other: "
        "truerank explain.",
        "계산 과정은 질의 {all:,}개 가운데 차이가 가장 큰 {kept:,}개에 대해서만 있습니다. 다른 질의는 "
        "truerank explain으로 볼 수 있습니다.",
    ),
    "left lines": (
        "Under these rules the mean is over submitted lines; result lists are not shown.",
        "이 규칙에서는 평균이 제출된 줄에 대한 것이라 목록을 보이지 않습니다.",
    ),
    # distributions and the rest
    "spread": ("Score distribution", "점수의 분포"),
    "distribution": ("Share of queries with at least a given score", "주어진 점수 이상을 받은 질의의 비율"),
    "distribution alt": (
        "One line per system: the share of {queries} whose {measure} is at least the value on the horizontal "
        "axis. Higher is better.",
        "시스템마다 선 하나: {measure} 값이 가로축 이상인 질의의 비율 ({queries}). 높을수록 좋습니다.",
    ),
    "scatter": ("{x} against {y}", "{x} 대 {y}"),
    "scatter alt": (
        "One mark per query and system: {x} on the horizontal axis, {y} on the vertical axis.",
        "질의와 시스템마다 표시 하나: 가로는 {x}, 세로는 {y}.",
    ),
    "scatter binned": (
        "There are too many queries to draw one mark each, so {x} (horizontal) and {y} (vertical) are "
        "divided into {cells} equal steps each: a mark stands for the queries of one system whose two values "
        "fall into the same steps, and a larger mark for more queries.",
        "질의가 많아 하나씩 표시하지 않고 가로 {x}, 세로 {y}를 각각 같은 폭의 {cells}단계로 나누었습니다. "
        "표시 하나는 두 값이 같은 단계에 든 한 시스템의 질의를 나타내며, 클수록 질의가 많습니다.",
    ),
    "unjudged": ("Unjudged documents", "판정되지 않은 문서"),
    "unjudged figure": ("Unjudged results by depth", "깊이에 따른 미판정 비율"),
    "unjudged alt": (
        "One line per system: the share of its first k results that are unjudged. A large share makes a mean "
        "uncertain.",
        "시스템마다 선 하나: 처음 k개 결과 가운데 판정되지 않은 비율. 많을수록 평균이 불확실합니다.",
    ),
    "unjudged lead": (
        "Unjudged among the first {k} returned results: {shares}.",
        "돌려준 처음 {k}개 결과 가운데 판정되지 않은 비율: {shares}.",
    ),
    "share unjudged": ("share unjudged", "미판정 비율"),
    # speed
    "speed": ("Speed", "속도"),
    "benchmarks": ("Benchmarks", "벤치마크"),
    "indexing": ("Indexing", "색인"),
    "latency": ("Latency", "지연 시간"),
    "latency alt": (
        "One line per retriever: the share of calls answered within a given time in milliseconds "
        "(logarithmic axis). Further left is faster.",
        "검색기마다 선 하나: 이 시간(밀리초, 로그 축) 안에 답한 호출의 비율. 왼쪽일수록 빠릅니다.",
    ),
    "share of calls": ("share of calls", "호출의 비율"),
    "milliseconds": ("milliseconds", "밀리초"),
    "pareto": ("Quality against latency", "지연 시간과 품질"),
    "pareto alt": (
        "One mark per benchmark: median latency (horizontal) and {measure} (vertical), with 95 % intervals. "
        "Best is the upper left.",
        "벤치마크마다 표시 하나: 가로는 지연 시간 중앙값, 세로는 {measure}, 선은 95 % 신뢰구간. 왼쪽 위가 "
        "좋습니다.",
    ),
    "front": (
        "No other benchmark is faster or better than {best}.|The line connects the benchmarks that no other "
        "one beats on both: {best}.",
        "{best}보다 빠르거나 나은 것은 없습니다.|점선은 다른 것에 뒤지지 않는 것을 잇습니다: {best}.",
    ),
    "median ms": ("median latency, ms", "지연 시간 중앙값, ms"),
    # places
    "places": ("Places", "장소"),
    "geo error": ("Error of the first result", "첫 결과의 위치 오차"),
    "geo error alt": (
        "One line per distance: the share of queries whose first result lies within a given number of metres "
        "(logarithmic axis). Median: {median}.",
        "측정 방법마다 선 하나: 첫 결과가 이 거리(미터, 로그 축) 안에 있는 질의의 비율. 중앙값: {median}.",
    ),
    "metres": ("metres", "미터"),
    "map": ("Map of misses", "빗나간 질의의 지도"),
    "map alt": (
        "Each query whose first result is wrong ({shown} of {queries}), connected to that result. Rings are "
        "queries, squares are returned results.",
        "첫 결과가 틀린 질의({queries} 중 {shown}개)를 그 결과와 이었습니다. 고리는 질의, 네모는 돌려준 "
        "결과입니다.",
    ),
    "longitude": ("longitude", "경도"),
    "latitude": ("latitude", "위도"),
    "places means": ("Places, all measures", "장소별 모든 측도"),
    "within metres": ("Recall by distance in metres", "거리(미터) 이내 재현율"),
    "first result": ("first result", "첫 결과"),
    "right one": ("right one", "정답"),
    "retriever": ("retriever", "검색기"),
    "queries of many": ("queries", "질의 수"),
    # the foot
    "foot": ("Reproduce", "재현"),
    "foot lead": ("Run this in a folder that contains the files below:", "아래 파일이 있는 폴더에서 실행하세요:"),
    "inputs": ("Input files", "읽은 파일"),
    "rules": ("Rules: {name}", "규칙: {name}"),
    "standard input": ("- was read from standard input.", "-는 표준 입력에서 읽었습니다."),
    "versions": ("Versions", "버전"),
    "nothing": ("There is nothing to report on.", "보고할 것이 없습니다."),
    # the table of queries
    "filter": ("Filter", "찾기"),
    "filter hint": ("part of a query's id", "질의 id의 일부"),
    "measure": ("Measure", "측도"),
    "show": ("Show", "보기"),
    "show judged": ("judged", "판정"),
    "show all": ("all queries", "모든 질의"),
    "show better": ("better than {reference}", "{reference}보다 나음"),
    "show worse": ("worse than {reference}", "{reference}보다 못함"),
    "show differ": ("where systems differ", "시스템이 갈림"),
    "show zero": ("where a system scores 0", "0점인 시스템이 있음"),
    "query": ("query", "질의"),
    "spread column": ("spread", "폭"),
    "of": ("{from}–{to} of {total}", "{total}개 중 {from}–{to}"),
    "none": ("no such query", "해당하는 질의가 없습니다"),
    "previous": ("Previous", "이전"),
    "next": ("Next", "다음"),
    "sort by": ("Sort by {column}", "{column} 기준으로 정렬"),
    "close": ("Close", "닫기"),
    "rank": ("rank", "순위"),
    "document": ("document", "문서"),
    "score": ("score", "점수"),
    "grade": ("grade", "등급"),
    "adds": ("adds", "기여"),
    "left texts": (
        "Texts of {kept:,} of the {all:,} documents are on this page, those first that stand high in a list.",
        "이 페이지에는 문서 {all:,}개 중 목록 위쪽의 {kept:,}개의 본문이 있습니다.",
    ),
    "relevant": ("relevant", "관련"),
    "not relevant": ("not relevant", "무관"),
    "unjudged mark": ("unjudged", "미판정"),
    "not judged": ("not judged", "판정 보류"),
    "tied": ("tied", "동점"),
    "returned": ("{n} results returned.", "결과 {n}개가 돌아왔습니다."),
    "unanswered": ("The run does not answer this query.", "이 런은 이 질의에 답하지 않았습니다."),
    "also found": ("Relevant, ranked lower", "더 아래에 있는 관련 문서"),
    "not found": ("Relevant, not returned", "돌아오지 않은 관련 문서"),
    "at rank": ("{doc} at rank {rank}", "{doc} ({rank}위)"),
    "and more": ("and {n} more", "외 {n}개"),
    "worked": ("How {measure} is computed", "{measure} 계산 과정"),
    "no list": ("This page has no list for this query.", "이 페이지에는 이 질의의 목록이 없습니다."),
    "relevant of": (
        "{found} of {all} relevant documents returned, {top} of them among the first {k}.",
        "관련 문서 {all}개 중 {found}개가 돌아왔고, 그중 {top}개가 처음 {k}개 안에 있습니다.",
    ),
}

COLUMNS = {
    "run": "시스템",
    "difference": "차이",
    "W/T/L": "승/무/패",
    "beats": "앞선 대상",
    "group": "그룹",
    "against": "상대",
    "effect": "효과 크기",
    "query": "질의",
    "text": "본문",
    "recall": "재현율",
    "rule": "규칙",
    "value": "값",
    "meaning": "뜻",
    "file": "파일",
    "bytes": "바이트",
    "package": "패키지",
    "version": "버전",
    "spread": "폭",
    "retriever": "검색기",
    "calls": "호출",
    "indexing": "색인",
    "documents": "문서",
    "seconds": "초",
    "documents a second": "초당 문서",
    "ms a document": "문서당 ms",
    "a second": "초당",
    "failed": "실패",
    "best": "최선",
    "measure": "측도",
    "by": "방법",
    "within": "이내",
    "distance": "거리",
    "rank": "순위",
    "truth": "정답",
    "error": "오차",
}
"""Headings of tables in Korean, by what they are in English."""

RULES = {
    "level": "관련으로 보는 가장 낮은 등급",
    "ties": "점수가 같은 문서의 순서",
    "score_precision": "점수를 비교할 때의 비트 수",
    "unit": "평균의 단위 (line: 대회 채점 코드처럼 제출된 줄마다)",
    "missing": "판정은 있으나 런이 답하지 않은 질의",
    "empty": "문서가 없는 답",
    "extra": "답은 있으나 판정이 없는 질의",
    "without_relevant": "관련 문서가 없는 질의",
    "unjudged": "판정되지 않은 문서",
    "unjudged_grade": "unjudged = graded일 때 판정되지 않은 문서의 등급",
    "unreturned": "판정되었으나 돌아오지 않은 문서",
    "duplicates": "한 질의에 두 번 나온 문서",
    "depth": "질의마다 이 수만큼의 결과만 인정",
    "depth_of": "결과 수를 세는 때: 판정되지 않은 문서를 뺀 뒤(left) 또는 빼기 전(returned)",
    "recall_points": "재현율 지점을 대표하는 정답",
    "self_match": "id가 질의와 같은 문서",
    "same_camera": "벡터: 질의와 같은 카메라에 찍힌 같은 신원 (ignore: 목록에서 빠짐)",
    "junk_identities": "벡터: 갤러리에서 빠지는 신원",
    "distractor_identities": "벡터: 갤러리에 남지만 결코 정답이 아닌 신원",
    "single_shot_galleries": "벡터: 순위 k 정확도는 신원마다 한 장인 무작위 갤러리 이만큼의 평균 (0: 전체 갤러리)",
    "gallery_seed": "벡터: 그 갤러리들의 시드",
    "percent_ranks": "벡터: 갤러리의 이 백분율에서의 R@x%도",
    "measures": "지정하지 않았을 때의 측도",
    "vocabulary": "있는 측도 (readings: 적힌 것만, 그 밖의 것은 truerank의 정의로 표시)",
    "readings": "측도 이름만 적었을 때의 뜻 (k는 요청한 순위, 숫자는 요청이 없을 때의 순위)",
}
"""What each rule decides, in Korean."""

VALUES: dict[str, dict[str, tuple[str, str]]] = {
    "missing": {
        "zero": ("scored 0", "0점"),
        "skip": ("left out", "제외"),
        "error": ("left out", "제외"),
    },
    "extra": {"skip": ("left out", "제외"), "error": ("left out", "제외")},
    "without_relevant": {
        "zero": ("scored 0", "0점"),
        "skip": ("left out", "제외"),
        "empty-is-right": ("scored 1 where nothing was returned", "답이 없으면 1점"),
        "one": ("scored 1", "1점"),
        "undefined": ("left out where a measure has no value", "측도의 값이 없으면 제외"),
        "error": ("left out", "제외"),
    },
    "ties": {
        "doc-descending": ("by document id, descending", "문서 id의 내림차순"),
        "doc-ascending": ("by document id, ascending", "문서 id의 오름차순"),
        "input": ("as the run has them", "런에 적힌 순서"),
    },
    "duplicates": {
        "error": ("refused", "거부"),
        "first": ("the first counts", "첫 번째만 인정"),
        "last": ("the last counts", "마지막만 인정"),
        "count": ("each counts", "모두 인정"),
        "once": ("the first counts", "첫 번째만 인정"),
    },
}
"""What becomes of what the ledger counts: by rule and value, in English and in Korean."""
