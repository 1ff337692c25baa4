"""What the pages call kinds, states and statuses, which the API has as values."""

from __future__ import annotations

from truerank.core.messages import Message, message

STATES: dict[str, Message] = {
    "received": message("received"),
    "refused": message("invalid"),
    "over": message("over the limit"),
    "accepted": message("being scored"),
    "scored": message("scored"),
    "failed": message("could not be scored"),
}
"""The states of a submission, in words."""

VERDICTS: dict[str, Message] = {
    "received": message("It is being audited and scored. This page looks again by itself."),
    "accepted": message("It is being audited and scored. This page looks again by itself."),
    "scored": message("Your file was scored."),
    "refused": message("Your file is invalid and was not scored."),
    "over": message("No attempts were left, so it was not scored."),
    "failed": message("It could not be scored, through no fault of yours. The host can see it."),
}
"""What became of a submission in each state."""

MARKS: dict[str, Message] = {
    "withdrawn": message("withdrawn"),
    "disqualified": message("disqualified"),
}
"""What a host made of an entry."""

MARKS_MEAN: dict[str, Message] = {
    "withdrawn": message("A host withdrew this entry; it is not ranked."),
    "disqualified": message("A host disqualified this entry; it is not ranked."),
}
"""What that means."""

ROLES: dict[str, Message] = {
    "team": message("team"),
    "host": message("host"),
}
"""The roles of an account, in words."""

PARTS: dict[str, Message] = {
    "all": message("all queries"),
    "public": message("public queries"),
    "private": message("private queries"),
}
"""The parts of the queries, in words."""

SCORES: dict[str, Message] = {
    "strict": message("strict"),
    "official": message("official"),
}
"""The two scores."""

SCORES_MEAN: dict[str, Message] = {
    "strict": message("This board ranks by the strict score: missing answers are 0 and repeats are worth nothing."),
    "official": message(
        "This board ranks by the official score of its rules. What can be gamed in it, the audit names."
    ),
}
"""What ranking by each means."""

FINDINGS: dict[str, Message] = {
    "empty": message("empty file"),
    "unreadable": message("cannot be read"),
    "unknown-id": message("unknown query"),
    "wrong-type": message("wrong type"),
    "missing-id": message("missing query"),
    "repeated-line": message("repeated query"),
    "repeated-document": message("repeated document"),
    "too-many": message("too many results"),
    "too-many-ids": message("list too long"),
    "processor-time": message("takes too long"),
    "columns": message("wrong number of columns"),
    "score-no-number": message("score is no number"),
    "score-not-finite": message("score is not finite"),
    "control-character": message("control character"),
    "long-line": message("very long line"),
    "header": message("header line"),
    "bom": message("byte order mark"),
    "crlf": message("Windows line ends"),
    "rank-order": message("ranks against scores"),
    "rank-no-number": message("rank is no number"),
    "rising-scores": message("rising scores"),
    "equal-scores": message("equal scores"),
    "tags": message("several tags"),
    "query-ids": message("query ids"),
    "shallow": message("few results"),
    "deep": message("many results"),
}
"""The findings of an audit by their kind, in words."""

MENDS: dict[str, Message] = {
    "empty": message("Send a file with at least one line."),
    "unreadable": message("Mend these lines; each must be whole."),
    "unknown-id": message(
        "These are not among this contest's queries: look for a spelling, or for another contest's file."
    ),
    "wrong-type": message("Write the results as a list of ids."),
    "missing-id": message("Answer all of them."),
    "repeated-line": message("Keep one line for each query."),
    "repeated-document": message("Keep each document once in a query."),
    "too-many": message("Leave out what does not count."),
    "columns": message("A TREC run has six columns: query, Q0, document, rank, score, tag."),
    "score-no-number": message("Write the score as a number, such as 12.5."),
    "score-not-finite": message("Write a number; NaN and infinity cannot be ordered."),
}
"""What to do about a finding, where its name does not say that."""

PROBLEMS: dict[int, Message] = {
    400: message("This request is no good"),
    401: message("Sign in first"),
    403: message("This is not for your role"),
    404: message("There is no such page"),
    405: message("This cannot be done here"),
    408: message("The file did not arrive"),
    409: message("Not now"),
    413: message("Too large"),
    422: message("This file or form is not right"),
    429: message("Too often"),
    500: message("A fault of the service"),
    503: message("Not now"),
}
"""Headings of the pages that say no, by their HTTP status."""

ADVICE: dict[int, Message] = {
    404: message("It is not here, or it is not yours to see."),
    413: message("Compress the file (.gz, .zst), or send only as many results as count."),
    429: message("Wait a little, then try again."),
}
"""What to do then, as far as the status says it."""

NUMBERS: dict[int, Message] = {
    2: message("Two"),
    3: message("Three"),
    4: message("Four"),
    5: message("Five"),
    6: message("Six"),
    7: message("Seven"),
    8: message("Eight"),
    9: message("Nine"),
}
"""Small numbers in a sentence, which some languages write as words."""
