"""The API is as its documentation says, whatever is sent to it."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from board_worlds import Build, building, run
from truerank.board.rates import Rate

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import schemathesis
    from schemathesis import GenerationMode
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import (
        content_type_conformance,
        response_schema_conformance,
        status_code_conformance,
    )

CHECKS = [not_a_server_error, response_schema_conformance, content_type_conformance, status_code_conformance]
EXAMPLES = 15

Cases = list[tuple[Any, bool]]


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, Cases]]:
    """Each operation and what is sent to it: the same for every role and database, as to draw it takes long."""
    folder = tmp_path_factory.mktemp("operations")
    with building(folder) as build:
        app: Any = build(f"sqlite:///{folder / 'board.sqlite'}").client.app
        schema = schemathesis.openapi.from_dict(app.openapi())
    operations = [found.ok() for found in schema.get_all_operations()]
    return [(operation, drawn(operation)) for operation in operations]


def drawn(operation: Any) -> Cases:
    """Cases of an operation, as it documents them and not, and whether they are about a submission that is there.

    About half of them are about the board that is there.
    """
    cases = []

    @seed(1)
    @settings(
        max_examples=EXAMPLES, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
    )
    @given(
        case=operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
        | operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)
    )
    def draw(case: Any) -> None:
        values = case.path_parameters or {}
        if "board" in values and len(values["board"]) % 2:
            values["board"] = "main"
        about_known = operation.path.startswith("/api/submissions/{id}") and len(values["id"]) % 2 == 1
        cases.append((case, about_known))

    draw()
    return cases


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("role", ["host", "team", "nobody"])
def test_nothing_that_is_sent_breaks_it_and_every_answer_is_documented(
    build: Build, address: str, role: str, sent: list[tuple[Any, Cases]]
):
    more = "registration = true\nteam_processor = 100000\nwaiting = 1000"
    contest = 'per_day = 1000\ntotal = 1000\nvisible = "everyone"\nfinals = 2\ndownload = "queries.jsonl"'
    world = build(address, contest, more=more, files={"queries.jsonl": "{}"})
    world.service.registrations = Rate(1e9, 1e9, clock=lambda: 0.0)
    world.service.requests = Rate(1e9, 1e9, clock=lambda: 0.0)
    world.service.sendings = Rate(1e9, 1e9, clock=lambda: 0.0)
    world.service.failures = Rate(1e9, 1e9, clock=lambda: 0.0)
    known = world.submit("A", run()).json()["id"]
    headers = {} if role == "nobody" else world.headers("host" if role == "host" else "A")
    seen: set[int] = set()
    for operation, cases in sent:
        for case, about_known in cases:
            if about_known:
                case.path_parameters["id"] = known
            answer = world.client.request(**request_of(case, headers))
            seen.add(answer.status_code)
            case.validate_response(answer, checks=CHECKS)
        if "close" in operation.path:
            world.client.post("/api/boards/main/reopen", headers=world.headers("host"))
    seen.add(world.client.get("/api/boards/there-is-none", headers=headers).status_code)  # chance may not find it
    assert 200 in seen
    assert {"host": {404, 409, 422}, "team": {403, 404, 422}, "nobody": {401, 404}}[role] <= seen


def request_of(case: Any, headers: dict[str, str]) -> dict[str, Any]:
    """The request of a case, for the client of the tests."""
    given = case.as_transport_kwargs(base_url="http://board", headers=headers)
    data = given.pop("data", None)
    if data is not None:
        given["content"] = data if isinstance(data, bytes | str) else repr(data)
    return {
        key: given[key]
        for key in ("method", "url", "params", "headers", "cookies", "content", "json")
        if key in given and given[key] is not None
    }


def test_every_route_documents_its_errors_by_one_model(build: Build, sqlite: str):
    world = build(sqlite)
    said = world.client.get("/openapi.json").json()
    assert len(said["paths"]) > 10
    for path, operations in said["paths"].items():
        for method, operation in operations.items():
            assert {"summary", "description"} <= operation.keys(), (method, path)
            for status, answer in operation["responses"].items():
                if status >= "400":
                    model = answer["content"]["application/json"]["schema"]["$ref"]
                    assert model.endswith("/Problem"), (method, path, status)
