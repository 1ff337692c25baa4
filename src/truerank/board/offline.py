"""What hosts do on the command line, beside a service that may be running: accounts, export, rescore."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from truerank.board import entries, submissions, tokens
from truerank.board.contests import Contest, load, spec_of
from truerank.board.database import Database
from truerank.board.errors import BoardError
from truerank.board.models import SCORED, Account, Board, Submission, Token, Values
from truerank.board.scoring import Result, score, tie_groups
from truerank.board.settings import BoardSettings, ServiceSettings
from truerank.board.settings import load as read_settings
from truerank.board.standings import Standings, entry_values, part_of, standings
from truerank.board.storage import Storage, digest
from truerank.core.messages import did_you_mean, joined, message

TEMPLATE = """\
# The leaderboards of `truerank serve`. Paths are beside this file.
title = "truerank"
data = "data"            # submissions and the database
# registration = true    # anybody may ask to take part; a host approves

[[boards]]
name = {name}            # in addresses
title = {name}
rules = {rules}          # a preset (`truerank rules`) or a .toml file
truth = {truth}          # hidden
per_day = 5
total = 100
# measures = ["nDCG@10", "AP"]    # by default what the rules name; the first one ranks
# opens = 2030-01-01T00:00:00Z
# closes = 2030-02-01T00:00:00Z
# public = 0.3           # this share of the queries is scored in public, the rest after closing
# ladder = 0.01          # a new best shows only when it is better by this much, rounded to multiples of it;
                         # 0: by its standard error, rounded to multiples of 1 by the number of public queries
# finals = 2             # a team may choose this many entries to count at the end
# download = "queries.jsonl"      # the queries, for everybody who sees the board
# digits = 3             # scores are shown rounded
# visible = "everyone"   # or "teams", "hosts"
# reveal = "measures"    # what a team sees of its own submissions: "score", "measures" or "queries"
"""


def opened(settings: ServiceSettings) -> closing[Database]:
    """The service's database."""
    return closing(Database(settings.database))


def write_settings(path: Path, name: str, rules: str, truth: str) -> None:
    """A board.toml to begin with; one that is there stays as it is.

    Raises:
        BoardError: there is one already, or a setting is not what it should be.
    """
    given = {"name": name, "rules": rules, "truth": truth}
    text = TEMPLATE.format(**{key: json.dumps(value, ensure_ascii=False) for key, value in given.items()})
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise BoardError(message("{path} is there already; remove it first, or edit it", path=str(path))) from None
    try:
        read_settings(path)
    except BoardError:
        path.unlink()
        raise


def add(database: Database, name: str, role: str, now: int) -> str:
    """A new account's token."""
    with database.writing() as session:
        return tokens.add(session, name, role, now).token


def account_named(session: Session, name: str) -> Account:
    """The account with this name.

    Raises:
        BoardError: there is none.
    """
    account = session.scalar(select(Account).where(Account.name == name))
    if account is None:
        hint = did_you_mean(name, session.scalars(select(Account.name)))
        raise BoardError("there is no account called {name!r}.{hint}", name=name, hint=hint)
    return account


def renew(database: Database, name: str, now: int) -> str:
    """Another token for an account."""
    with database.writing() as session:
        return tokens.renew(session, account_named(session, name).id, now).token


def revoke(database: Database, name: str, now: int) -> int:
    """End all tokens of an account; how many there were."""
    with database.writing() as session:
        theirs = Token.account_id == account_named(session, name).id
        ids = list(session.scalars(select(Token.id).where(theirs, Token.revoked_at.is_(None))))
        for token in ids:
            tokens.revoke(session, token, now)
        return len(ids)


def approve(database: Database, name: str) -> None:
    """Let in a team that asked to take part."""
    with database.writing() as session:
        tokens.approve(session, account_named(session, name).id)


def mark(
    settings: ServiceSettings, database: Database, entry: str, word: str | None, reason: str, now: int
) -> None:
    """Take an entry out of the standings, or put it back.

    Raises:
        BoardError: there is no such entry, or its board is not set here, or changed since it was scored.
        ApiError: it is not scored, or no reason is given.
    """
    with database.writing() as session:
        submission = session.get(Submission, entry)
        board = settings.board(submission.board) if submission else None
        if board is None:
            said = message("there is no submission {id!r} on a board in {path}", id=entry, path=str(settings.path))
            raise BoardError(said)
        submissions.locked_board(session, board.name)
        contest = _contest(session, board, Storage(settings.data))
        submissions.note_fingerprint(session, contest)
        entries.mark(session, entry, word, reason, contest, now)


@dataclass(frozen=True)
class Rescored:
    """What came out of scoring a board anew.

    Attributes:
        changed: the ids whose results are not the same to the last bit.
    """

    scored: int
    changed: tuple[str, ...]


def board_named(settings: ServiceSettings, name: str) -> BoardSettings:
    """The settings of the board with this name.

    Raises:
        BoardError: there is none.
    """
    board = settings.board(name)
    if board is None:
        raise BoardError("there is no board called {name!r} in {path}", name=name, path=str(settings.path))
    return board


def ranked(settings: ServiceSettings, database: Database, name: str, now: int) -> tuple[Standings, Contest]:
    """Who stands where on a board, with who cannot be told apart from whom.

    Raises:
        BoardError: there is no such board, or it changed since its submissions were scored.
    """
    board = board_named(settings, name)
    with database.reading() as session:
        contest = _contest(session, board, Storage(settings.data))
        submissions.note_fingerprint(session, contest)
        is_over = submissions.is_closed(session, board, now)
        version, part = session.get_one(Board, name).version, part_of(board, is_over)
        ranks = standings(session, contest, version, part, is_over)
        return ranks.with_groups(tie_groups(entry_values(session, ranks, contest))), contest


def rescore(settings: ServiceSettings, database: Database, name: str, *, write: bool) -> Rescored:
    """Score every submission of a board anew, in the order in which they were scored.

    A service may run meanwhile: scores are computed before the database is written to, and then written at once.

    Args:
        write: whether to keep what changed; all of it or, after an error, nothing.
    """
    board = board_named(settings, name)
    storage = Storage(settings.data)
    with database.writing() as session:
        contest = _contest(session, board, storage)
        first = _scored(session, name)
    results = {submission.id: _result(submission, contest, storage) for submission in first}
    with database.writing() as session:
        row = submissions.locked_board(session, name)
        rows, changed = _scored(session, name), []
        for submission in rows:
            result = results.get(submission.id) or _result(submission, contest, storage)  # one that came meanwhile
            changed += [submission.id] if _rescored(session, submission, result, contest) else []
        row.fingerprint, row.version = contest.fingerprint, row.version + 1
        if not write:
            session.rollback()
    return Rescored(len(rows), tuple(changed))


def _contest(session: Session, board: BoardSettings, storage: Storage) -> Contest:
    if session.get(Board, board.name) is None:
        said = message("board {name!r} was never served, so nothing was submitted to it", name=board.name)
        raise BoardError(said)
    spec = spec_of(session, board, storage)
    if spec is None:
        raise BoardError("board {name!r} has no truth", name=board.name)
    return load(spec)


def _scored(session: Session, name: str) -> list[Submission]:
    scored = select(Submission).where(Submission.board == name, Submission.state == SCORED)
    return list(session.scalars(scored.order_by(Submission.place)))


def _result(submission: Submission, contest: Contest, storage: Storage) -> Result:
    path = storage.path(submission.sha256)
    if not path.is_file() or digest(path) != submission.sha256:
        said = message("this is not the file that was submitted; take it from a backup")
        raise BoardError(joined(": ", [str(path), said]))
    return score(path, json.loads(submission.audit)["format"], contest)


def _rescored(session: Session, submission: Submission, result: Result, contest: Contest) -> bool:
    """Write down what one scores now; whether anything changed."""
    before = _kept(session, submission)
    submissions.record(session, submission, result, contest)
    session.flush()
    return before != _kept(session, submission)


def _kept(session: Session, submission: Submission) -> tuple[object, ...]:
    values = session.get_one(Values, submission.id)
    return submission.score, submission.shown, submission.results, bytes(values.matrix)
