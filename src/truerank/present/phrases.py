"""Sentences that are recognised by their looks: {name} is whatever stands there, {NAME} is translated in turn."""

STATISTICS = {
    # how a comparison was made
    "p: {TEST}; significant up to {alpha}.": "p: {TEST}. {alpha} 이하이면 유의합니다.",
    "One system: there is nothing to compare it with.": "시스템이 하나라 비교할 상대가 없습니다.",
    "Intervals: {HOW}.": "신뢰구간: {HOW}.",
    "W/T/L: queries that the first system wins, ties and loses (for counts: more, as many, fewer).": (
        "승/무/패: 첫 시스템이 더 나은, 같은, 못한 질의의 수입니다(개수를 세는 측도는 더 많은, 같은, 적은)."
    ),
    "W/T/L: queries that the system wins, ties and loses.": "승/무/패: 더 나은, 같은, 못한 질의의 수입니다.",
    "Beats: those it is significantly better than, by letter.": "앞선 대상: 유의하게 앞선 시스템의 글자입니다.",
    "Systems that share a group do not differ significantly.": "같은 그룹의 시스템은 구별되지 않습니다.",
    "Seed {seed}.": "시드 {seed}.",
    "paired randomization test": "짝지은 무작위화 검정",
    "paired t-test": "짝지은 t 검정",
    "Wilcoxon's signed-rank test": "윌콕슨 부호순위 검정",
    "sign test": "부호 검정",
    "Tukey's HSD on queries and systems": "질의와 시스템에 대한 Tukey HSD",
    "every pattern of signs counted": "모든 부호 조합을 세었음",
    "{n} samples": "표본 {n}개",
    "{HOW} over {n} pairs of each measure": "측도마다 {n}쌍에 대해 {HOW}",
    "corrected by Holm": "Holm 보정",
    "corrected by Bonferroni": "Bonferroni 보정",
    "corrected by Benjamini and Hochberg": "Benjamini–Hochberg 보정",
    "corrected by max-T": "max-T 보정",
    "not corrected": "보정하지 않음",
    "of all pairs of systems together": "모든 시스템 쌍을 함께 다룸",
    "exact binomial": "정확 이항 구간",
    "BCa bootstrap": "BCa 부트스트랩",
    "exact binomial where all values are 0 or 1": "값이 모두 0이나 1이면 정확 이항 구간",
    "of differences, percentile bootstrap": "차이는 백분위수 부트스트랩",
    "{n} resamples": "재표집 {n}회",
    "not corrected for the number of pairs": "쌍의 수에 대해 보정하지 않음",
    "those of differences are Tukey's": "차이의 구간은 Tukey의 것",
    "those of differences are Tukey's, for all pairs together": "차이의 구간은 모든 쌍에 대한 Tukey의 것",
    "unknown, {n} [query|queries] being too few": "알 수 없음, 질의 {n}개로는 너무 적음",
    # how far it can be trusted
    "Warning: {measure}: only {n} [query differs|queries differ] from all the others; "
    "the interval may be too short.": (
        "주의: {measure}: 나머지와 다른 질의가 {n}개뿐이라 구간이 너무 짧을 수 있습니다."
    ),
    "Smallest true difference that is detected in four of five samples of this size: {LIST}.": (
        "이만한 질의로 다섯 번에 네 번 드러나는 가장 작은 실제 차이: {LIST}."
    ),
    "With so few queries no difference, however large, is detected in four of five samples: {names}.": (
        "질의가 너무 적어 아무리 큰 차이도 다섯 번에 네 번 드러날 수 없는 측도: {names}."
    ),
    "{low} to {HIGH} in {SCALE}": "{SCALE} {low}–{HIGH}",
    "{low} in {SCALE}": "{SCALE} {low}",
    "more than is possible": "있을 수 있는 것보다 큼",
    "the logarithm of {measure}": "{measure}의 로그",
    "Warning: with so few queries p cannot be below {p}: no difference can be significant.": (
        "주의: 질의가 너무 적어 p가 {p}보다 작을 수 없으므로 아무것도 유의할 수 없습니다."
    ),
    "Warning: {n} samples are too few for {pairs} pairs: no difference can be significant.": (
        "주의: 표본 {n}개는 {pairs}쌍에 너무 적어 아무것도 유의할 수 없습니다."
    ),
    "Warning: {n} [query is|queries are] not in the scores of every system, and left out: "
    "the means are over the {all} that all have.": (
        "주의: 모든 시스템에 점수가 있지는 않은 질의 {n}개를 제외했습니다. 평균은 모두에 있는 {all}개에 대한 "
        "것입니다."
    ),
    "Warning: {measure} is no finite number on {n} [query|queries] for some system; left out for all.": (
        "주의: {measure} 값이 유한하지 않은 시스템이 있는 질의 {n}개를 모두에서 제외했습니다."
    ),
    "{names}: sums over the queries; more is not better, so nothing beats another.": (
        "{names}: 질의에 대한 합계입니다. 많다고 나은 것이 아니므로 무엇도 앞서지 않습니다."
    ),
    "{names}: geometric means, of values raised to {floor} at least; "
    "differences and effects are those of the means of natural logarithms.": (
        "{names}: {floor} 이상으로 올린 값의 기하 평균입니다. 차이와 효과 크기는 자연로그 평균의 것입니다."
    ),
    "{names}: less is better.": "{names}: 작을수록 좋습니다.",
    "{names}: all values are equal, so that the interval has no width; it says nothing about other queries.": (
        "{names}: 값이 모두 같아 신뢰구간에 폭이 없습니다. 다른 질의에 대해서는 아무것도 말해 주지 않습니다."
    ),
    "{one} and {other} score the same on every query.": "{one}, {other}: 모든 질의에서 점수가 같습니다.",
    "Warning: {name} answers none of the judged queries; "
    "`truerank lint` shows whether the ids are spelled differently.": (
        "주의: {name}은(는) 판정된 질의에 하나도 답하지 않았습니다. id의 표기가 다른지는 `truerank lint`로 알 수 "
        "있습니다."
    ),
}

SPEED = {
    "open loop, {rate} starts a second ({how}), {n} [worker|workers], k {k}": (
        "열린 루프, 초당 {rate}회 시작 ({how}), 작업자 {n}개, k {k}"
    ),
    "closed loop, {n} [worker|workers], k {k}": "닫힌 루프, 작업자 {n}개, k {k}",
    "Texts: {n} of {all} [document|documents] [has|have] none.": "본문: 문서 {all}개 중 {n}개는 없습니다.",
    "Texts: {n} of {all} [query|queries] [has|have] none.": "본문: 질의 {all}개 중 {n}개는 없습니다.",
    "plain loop, k {k}": "단순 루프, k {k}",
    "Percentiles are linear: between two measured values, as NumPy has them.": (
        "백분위수는 NumPy처럼 측정한 두 값 사이를 선형 보간한 것입니다."
    ),
    "The first {n} [query|queries] warmed up: in no latency, but in the scores.": (
        "처음 질의 {n}개는 준비용이라 지연 시간에서 빠지고 점수에는 들어갑니다."
    ),
    "The first {n} [query|queries] warmed up: in no latency.": (
        "처음 질의 {n}개는 준비용이라 지연 시간에서 빠집니다."
    ),
    "{calls} [call|calls], {n} [query|queries] in {s} s: {rate} answers a second.": (
        "{s}초 동안 질의 {n}개로 호출 {calls}번: 초당 답 {rate}개."
    ),
    "{calls} [call|calls] in {s} s: {rate} answers a second.": "{s}초 동안 호출 {calls}번: 초당 답 {rate}개.",
    "{calls} [call|calls], {n} [query|queries].": "질의 {n}개, 호출 {calls}번.",
    "{calls} [call|calls].": "호출 {calls}번.",
    "It took turns with {name}, so answers a second were not measured.": (
        "{name}와(과) 번갈아 불러 초당 답의 수는 재지 않았습니다."
    ),
    "Unresolved with {n} [query|queries]; needed: {needs}.": "질의 {n}개로는 정해지지 않음, 필요한 수: {needs}.",
    "Warning: ended early ({why}); this is what was measured until then.": (
        "주의: 일찍 끝났습니다 ({why}). 그때까지 잰 것입니다."
    ),
    "{n} of {all} queries were never asked.": "질의 {all}개 가운데 {n}개는 묻지 않았습니다.",
    "Warning: of {calls} [call|calls] {LIST}.": "주의: 호출 {calls}번 가운데 {LIST}.",
    "{n} failed": "실패 {n}번",
    "{n} timed out": "시간 초과 {n}번",
    "{n} never started (too late)": "너무 늦어 시작하지 못함 {n}번",
    "They are not in the latencies, and score 0.": "지연 시간에 들지 않으며 0점입니다.",
    "They are not in the latencies.": "지연 시간에 들지 않습니다.",
    "  and {n} other kinds of errors": "  그 밖의 오류 {n}가지",
    "{n} [answer was empty; it is|answers were empty; they are] in the latencies.": (
        "빈 답 {n}개도 지연 시간에 들어 있습니다."
    ),
    "{n} [query without documents counts|queries without documents count] here; "
    "`truerank eval` of the saved run leaves them out under {rules}.": (
        "문서가 없는 질의 {n}개가 여기서는 셈에 듭니다. 저장된 런을 `truerank eval`로 평가하면 {rules}에서는 "
        "제외됩니다."
    ),
    "{n} judged [query was not asked, and is|queries were not asked, and are] in no mean; {AGAIN}.": (
        "판정된 질의 {n}개는 묻지 않아 평균에 없습니다. {AGAIN}."
    ),
    "{n} judged [query was not asked, and is|queries were not asked, and are] in no mean.": (
        "판정된 질의 {n}개는 묻지 않아 평균에 없습니다."
    ),
    "`truerank eval` of the saved run scores such queries 0": "저장된 런을 `truerank eval`로 평가하면 0점입니다",
    "`truerank eval` of the saved run refuses a run without them": (
        "저장된 런은 이런 질의가 없어 `truerank eval`이 거부합니다"
    ),
    "Warning: {n} starts ({share}%) were late, the one worker being busy.": (
        "주의: 하나뿐인 작업자가 바빠 {n}번({share} %) 늦게 시작했습니다."
    ),
    "Warning: {n} starts ({share}%) were late, all {workers} workers being busy.": (
        "주의: 작업자 {workers}개가 모두 바빠 {n}번({share} %) 늦게 시작했습니다."
    ),
    "Latency counts from the intended start.": "지연 시간은 시작하려던 때부터 잽니다.",
    "Warning: {wanted} workers, but only {n} calls were under way at a time.": (
        "주의: 작업자는 {wanted}개지만 동시에 진행된 호출은 {n}개뿐입니다."
    ),
    "Warning: {wanted} calls were under way, but {n} served at a time: the retriever is serial, the others wait.": (
        "주의: 호출 {wanted}개가 진행되었지만 동시에 처리된 것은 {n}개입니다. 검색기는 하나씩 처리하고 나머지는 "
        "기다립니다."
    ),
    "Warning: {wanted} calls were under way, but {n} served at a time: "
    "the retriever serves fewer, the others wait.": (
        "주의: 호출 {wanted}개가 진행되었지만 동시에 처리된 것은 {n}개입니다. 나머지는 기다립니다."
    ),
    "{n} [answer names|answers name] a document more than once; "
    "`truerank eval` of the saved run needs `--set {mend}`.": (
        "답 {n}개에 같은 문서가 되풀이됩니다. 저장된 런을 `truerank eval`로 평가하려면 `--set {mend}`가 필요합니다."
    ),
    "{n} [answer names|answers name] a document more than once.": "답 {n}개에 같은 문서가 되풀이됩니다.",
    "{n} [answer|answers] had more than {k} documents; the first {first} count.": (
        "답 {n}개에 문서가 {k}개보다 많아 처음 {first}개만 인정합니다."
    ),
    "{n} [answer has|answers have] scores that do not fall; the order counts.": (
        "답 {n}개의 점수가 내림차순이 아니라 적힌 순서를 따릅니다."
    ),
    "{n} [query was|queries were] not answered the same each time; the first answer counts.": (
        "질의 {n}개의 답이 매번 같지 않아 첫 답을 인정합니다."
    ),
}

PLACES = {
    "{name}: truth is {rule}.": "{name}: 정답 규칙은 {rule}입니다.",
    "The median error of the first result is {METRES}.": "첫 결과의 위치 오차 중앙값은 {METRES}입니다.",
    "an unknown length": "알 수 없음",
    "The area under its error curve is {LIST}.": "오차 곡선 아래 넓이는 {LIST}입니다.",
    "{area} to {metres} m": "{metres} m까지 {area}",
    "SDM@k counts a result d metres off as exp(-{steepness} d), MA@t the first results up to t metres off.": (
        "SDM@k는 d미터 벗어난 결과를 exp(-{steepness} d)로, MA@t는 오차가 t미터 이하인 첫 결과를 셉니다."
    ),
    "{n} [longitude is|longitudes are] beyond 180 in {name} ({first}): read as degrees east of Greenwich.": (
        "{name}의 경도 {n}개가 180을 넘어({first}) 그리니치 동쪽 각도로 읽었습니다."
    ),
    "R@1% is {value}, k = {k}.": "R@1%는 {value}입니다(k = {k}).",
    "Over the {n} [query that has|queries that have] something right: {values}.": (
        "정답이 있는 질의 {n}개에 대한 평균: {values}."
    ),
    "{n} [query has|queries have] neither a place nor results: {names}.": (
        "위치도 결과도 없는 질의 {n}개: {names}."
    ),
    "{distance} is left out: {why}.": "{distance}는 제외했습니다: {why}.",
    "{n} [result|results] among the first {k} of a query name no reference: {names}.": (
        "질의마다 처음 {k}개 결과 가운데 {n}개는 참조에 없는 이름입니다: {names}."
    ),
    "By haversine another reference would be the nearest for {n} [query|queries].": (
        "haversine으로 재면 질의 {n}개에서 다른 참조가 가장 가깝습니다."
    ),
    "The queries are known by their names in the files' names.": "파일 이름에 든 이름으로 질의를 알아보았습니다.",
    "{n} [file has|files have] no query's id in the name and were not read: {names}.": (
        "이름에 질의 id가 없는 파일 {n}개는 읽지 않았습니다: {names}."
    ),
    "{value} runs the other way in every list, so the {BETTER} is taken for the better; "
    "--better {named} forbids that.": (
        "모든 목록에서 {value} 값이 거꾸로 나아가므로 {BETTER} 쪽을 나은 것으로 보았습니다. "
        "--better {named}로 막을 수 있습니다."
    ),
    "higher": "높은",
    "lower": "낮은",
    "Some lists are not in the order of {value}, which decides.": (
        "{value} 순서가 아닌 목록이 있습니다. 순위는 이 값이 정합니다."
    ),
    "The results name references by their {label}.": "결과는 참조를 {label}(으)로 부릅니다.",
    "Latitude and longitude look swapped in either the queries or the references: only with one of them the other "
    "way round they are in the same region.": (
        "질의나 참조 한쪽의 위도와 경도가 뒤바뀐 것 같습니다. 한쪽을 바꾸어야만 같은 지역에 놓입니다."
    ),
    "No coordinate of {name} is beyond pi: are they radians, not degrees?": (
        "{name}의 좌표가 모두 원주율을 넘지 않습니다. 도가 아니라 라디안입니까?"
    ),
    "The degrees of {name} were rounded to 32 bits, which moves them by up to {metres} m.": (
        "{name}의 좌표가 32비트로 반올림되어 최대 {metres} m까지 어긋납니다."
    ),
    "{n} of {all} in {name} [stands|stand] at {WHAT} (0, 0), where things without a place are put: {names}.": (
        "{name}의 {all}개 가운데 {n}개가 {WHAT} (0, 0)에 있습니다. 위치가 없는 것을 두는 자리입니다: {names}."
    ),
    "latitude and longitude": "위도와 경도",
    "x and y": "x와 y",
    "x and y do not fit latitude and longitude: their lengths are {low} to {high} times the others. "
    "Are there several UTM zones?": (
        "x, y와 위도, 경도가 맞지 않습니다. 길이가 {low}–{high}배입니다. UTM 구역이 여럿입니까?"
    ),
    "x and y are not metres: their lengths are {times} times those by latitude and longitude "
    "(a web map's plane stretches with the latitude).": (
        "x와 y는 미터가 아닙니다. 길이가 위도와 경도로 잰 것의 {times}배입니다(웹 지도의 평면은 위도에 따라 "
        "늘어납니다)."
    ),
    "{n} [query|queries] with references just as near as the right ones, "
    "which come first in the references' order: {names}.": (
        "정답만큼 가까운 참조가 또 있는 질의 {n}개(참조 목록에서 먼저인 것을 정답으로 함): {names}."
    ),
    "{n} of {all} [query|queries] without anything right: {names}.": (
        "질의 {all}개 가운데 정답이 없는 것 {n}개: {names}."
    ),
    "No query has a reference within {km} km. Do the files belong together?": (
        "어느 질의에도 {km} km 안에 참조가 없습니다. 같은 자료의 파일입니까?"
    ),
}

CONTEST = {
    "{n} judged [id|ids] missing (officially left out, strictly 0): {ids}.": (
        "빠진 id {n}개(공식은 제외, 엄격은 0점): {ids}."
    ),
    "{n} [id|ids] answered by repeated lines (officially each line counts, strictly the id scores 0): {WHERE}.": (
        "여러 줄로 답한 id {n}개(공식은 줄마다 인정, 엄격은 0점): {WHERE}."
    ),
    "{n} [line|lines] with a repeated document (officially each time counts, strictly once): {WHERE}.": (
        "같은 문서를 되풀이한 줄 {n}개(공식은 매번 인정, 엄격은 한 번): {WHERE}."
    ),
    "{n} [line|lines] with more than {MOST} (the first {k} count): {WHERE}.": (
        "결과가 {MOST}보다 많은 줄 {n}개(처음 {k}개만 인정): {WHERE}."
    ),
    "{n} [line|lines] with an id that is unknown to the truth (left out): {WHERE}.": (
        "정답에 없는 id의 줄 {n}개(제외): {WHERE}."
    ),
    "{n} [line|lines] with results of a wrong type "
    "(officially read as they are; strictly what is no list scores 0): {WHERE}.": (
        "결과의 형식이 틀린 줄 {n}개(공식은 그대로 읽음, 엄격은 목록이 아니면 0점): {WHERE}."
    ),
    "one result": "1개",
    "three results": "3개",
    "line {line}: {n} results": "{line}번째 줄: 결과 {n}개",
    "line {line}: {doc} {n} times": "{line}번째 줄: {doc} {n}번",
    "line {line}: the text {text}, whose letters count as results": "{line}번째 줄: 글자마다 결과로 센 {text}",
    "line {line}: {what} instead of a list": "{line}번째 줄: 목록이 아닌 {what}",
    "line {line}: {what} among the results": "{line}번째 줄: 결과 가운데 {what}",
    "line {line}: {what}": "{line}번째 줄: {what}",
    "{doc} {n} times": "{doc} {n}번",
    "{id} in lines {numbers}": "{id} ({numbers}번째 줄)",
    "{n} results": "{n}개",
}

WORKED = {
    "relevant documents, found or not": "관련 문서(찾았든 못 찾았든)",
    "relevant among the first {k}": "처음 {k}개 가운데 관련 문서",
    "the smaller of {a} and {b}": "{a}와 {b} 중 작은 것",
    "there is one at rank {rank}": "{rank}위에 있음",
    "there is none": "없음",
    "0, as nothing relevant is among the first {k}": "처음 {k}개 안에 관련 문서가 없어 0",
    "0, as nothing relevant is in the list": "목록에 관련 문서가 없어 0",
    "of the first relevant document": "첫 관련 문서의 순위",
    "of the last relevant document": "마지막 관련 문서의 순위",
    "the sum": "합계",
    "the sum over what came back": "돌아온 것에 대한 합계",
    "the sum over the best possible list": "가장 좋은 목록에 대한 합계",
    "the sum, over the best possible list": "가장 좋은 목록에 대한 합계",
    "relevant documents found": "찾은 관련 문서",
    "{x} × {n} + 0.9, rounded down": "{x} × {n} + 0.9, 내림",
    "{x} × {n} + 0.9, rounded down, at least 1": "{x} × {n} + 0.9, 내림, 1 이상",
    "{x} × {n}, rounded, at least 1": "{x} × {n}, 반올림, 1 이상",
    "{x} × {n}, rounded up, at least 1": "{x} × {n}, 올림, 1 이상",
    "relevant documents that came back": "돌아온 관련 문서",
    "documents that came back beside them": "그 밖에 돌아온 문서",
    "1, as only relevant documents came back": "관련 문서만 돌아와 1",
    "0, as nothing came back": "돌아온 것이 없어 0",
    "0, as {n} of {all} relevant documents did not come back": "관련 문서 {all}개 가운데 {n}개가 돌아오지 않아 0",
    "0, as only {n} relevant documents came back": "관련 문서가 {n}개만 돌아와 0",
    "the highest from relevant document {n} on: {how}": "{n}번째 관련 문서부터 가장 높은 값: {how}",
    "the heights, from the highest recall down": "높이의 합, 높은 재현율부터",
    "the chance that the reader goes on": "더 읽을 확률",
    "the highest grade of the collection": "모음에서 가장 높은 등급",
    "the highest grade of the query, at least 1": "질의에서 가장 높은 등급, 1 이상",
    "the highest grade there could be": "있을 수 있는 가장 높은 등급",
    "(2^grade − 1) / 2^{max}, at most": "(2^등급 − 1) / 2^{max}, 최댓값",
    "of all that is judged": "판정된 모든 것의",
    "documents judged and not relevant": "판정되었으나 무관한 문서",
    "1, as none is judged wrong": "무관하다고 판정된 문서가 없어 1",
    "of the first {k}": "처음 {k}개 가운데",
    "of all that came back": "돌아온 모든 것 가운데",
    "documents came back": "돌아온 문서",
    "relevant documents came back": "돌아온 관련 문서",
    "relevant documents that did not come back": "돌아오지 않은 관련 문서",
    "others that came back": "돌아온 나머지",
    "other documents of the collection": "모음의 나머지 문서",
    "came back with a grade of at least {k}": "등급 {k} 이상으로 돌아온 문서",
    "came back, judged and not relevant": "판정되었고 무관한, 돌아온 문서",
    "one for each query": "질의마다 하나",
    "relevant documents among them": "그 가운데 관련 문서",
    "something relevant came back": "관련 문서가 돌아왔음",
    "nothing relevant came back": "관련 문서가 돌아오지 않았음",
    "of them found, at ranks {numbers}": "그 가운데 찾은 것, {numbers}위",
    "of them found": "그 가운데 찾은 것",
    "as given": "주어진 값",
    "by the function that defines it": "정의한 함수로 계산",
    "0, as there is nothing to divide by": "나눌 것이 없어 0",
    "recall alone, as alpha is 0": "alpha가 0이라 재현율만",
    "how much more recall weighs than precision": "재현율이 정밀도보다 무거운 정도",
    "the cutoff": "자르는 순위",
    "1 / rank of the first {n} ranks": "처음 {n}개 순위의 1/순위 합",
    "the chance that is given for its grade": "그 등급에 주어진 확률",
    "grade / {max}, at most 1": "등급 / {max}, 1 이하",
    "{k} + 1, as nothing relevant is among the first {n}": "처음 {n}개 안에 관련 문서가 없어 {k} + 1",
    "relevant documents that are not among the first {k}": "처음 {k}개 안에 없는 관련 문서",
    "grades of what is not among the first {k}": "처음 {k}개 안에 없는 것의 등급",
    "relevant among the first results": "앞쪽 결과 가운데 관련 문서",
    "others among the first results": "앞쪽 결과 가운데 나머지 문서",
    "relevant elsewhere or not found": "다른 곳에 있거나 찾지 못한 관련 문서",
    "others elsewhere": "다른 곳의 나머지 문서",
    "{n} − {k} of the first results": "앞쪽 결과 {n} − {k}",
    "{n} − {k} that came back": "돌아온 문서 {n} − {k}",
    "{n} − {k} of the collection": "모음의 문서 {n} − {k}",
    "in order / pairs": "순서가 맞는 쌍 / 쌍",
    "grades": "등급",
    "rank": "순위",
    "others": "나머지",
    "pairs": "쌍",
    "in order": "순서가 맞는 쌍",
    "judged": "판정",
    "unjudged": "미판정",
    "gains": "이득",
    "max": "최대",
    "precision": "정밀도",
    "recall": "재현율",
    "found": "찾음",
    "wrong": "틀림",
    "missed": "놓침",
    "left out": "나머지",
    "above": "분자",
    "below": "분모",
}

HEADINGS = {
    "{HEAD} (unresolved)": "{HEAD} (미확정)",
    "mean ms": "평균 ms",
    "mean": "평균",
    "AUPRC, trapezoid": "AUPRC, 사다리꼴",
    "AUPRC, interpolated": "AUPRC, 보간",
}

NUMBERS = {
    *("n", "k", "p", "all", "pairs", "calls", "line", "seed", "alpha", "rate", "s"),
    *("workers", "wanted", "share", "low", "area", "metres", "rank", "max"),
}
"""Holes that hold a number."""
