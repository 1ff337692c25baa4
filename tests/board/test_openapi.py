"""The API is as its documentation says, whatever is sent to it."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from board_worlds import Build, World, run
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


def operations(world: World) -> Any:
    schema = schemathesis.openapi.from_dict(world.client.app.openapi())  # type: ignore[attr-defined]
    return [found.ok() for found in schema.get_all_operations()]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("role", ["host", "team", "nobody"])
def test_nothing_that_is_sent_breaks_it_and_every_answer_is_documented(build: Build, address: str, role: str):
    more = "registration = true\nteam_processor = 100000\nwaiting = 1000"
    contest = 'per_day = 1000\ntotal = 1000\nvisible = "everyone"\nfinals = 2\ndownload = "queries.jsonl"'
    world = build(address, contest, more=more, files={"queries.jsonl": "{}"})
    world.service.registrations = Rate(1e9, 1e9, clock=lambda: 0.0)
    world.service.requests = Rate(1e9, 1e9, clock=lambda: 0.0)
    world.service.sendings = Rate(1e9, 1e9, clock=lambda: 0.0)
    world.service.failures = Rate(1e9, 1e9, clock=lambda: 0.0)
    sent = world.submit("A", run()).json()["id"]
    headers = {} if role == "nobody" else world.headers("host" if role == "host" else "A")
    seen: set[int] = set()
    for operation in operations(world):
        strategy = operation.as_strategy(generation_mode=GenerationMode.POSITIVE) | operation.as_strategy(
            generation_mode=GenerationMode.NEGATIVE
        )

        @seed(1)
        @settings(
            max_examples=EXAMPLES,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=strategy)
        def check(case: Any) -> None:
            operation = case.operation
            if "board" in (case.path_parameters or {}) and len(case.path_parameters["board"]) % 2:
                case.path_parameters["board"] = "main"
            if operation.path.startswith("/api/submissions/{id}") and len(case.path_parameters["id"]) % 2:
                case.path_parameters["id"] = sent
            answer = world.client.request(**request_of(case, headers))
            seen.add(answer.status_code)
            case.validate_response(answer, checks=CHECKS)

        check()
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
