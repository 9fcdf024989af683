"""The OpenAPI description, with the columns and actions of the policy that decides."""

from __future__ import annotations

from typing import Any

import msgspec

from .. import __version__
from ..data.by_name import MISSING
from ..policy.compact import CompactPolicy
from ..policy.compact_rows import CompactVectorPolicy
from ..server.problems import ErrorBody
from .current import Served
from .messages import (
    DecideAnswer,
    ExplainAnswer,
    HealthAnswer,
    PolicyAnswer,
    RowDecideAnswer,
    RowDecisionBody,
)
from .reading import LARGEST

JSON = "application/json"
DECIDE_WORDS = (
    "Several observations may have ids, one for each, which come back with the decisions. A body "
    "of type application/octet-stream holds plain float32 numbers, observation after "
    "observation; with the same type under Accept, the answer holds the int32 numbers of the "
    "actions, or the numbers of actions that are rows one after another, and the headers x-plan, "
    "x-dtype and x-shape."
)
ANSWERS = (ExplainAnswer, PolicyAnswer, HealthAnswer, ErrorBody)
REFUSALS = {
    "400": "The request is not HTTP or JSON.",
    "401": "The token is missing or wrong.",
    "403": "The Host or Origin is refused.",
    "408": "The body did not arrive in time.",
    "413": "The body is too large.",
    "429": "Too many requests at once.",
    "503": "Not ready, or not in time.",
}


def description(name: str, served: Served, most_rows: int) -> dict[str, Any]:
    """Return the description of all paths.

    Args:
        name: of the model.
        served: the policy that decides.
        most_rows: of a batch.
    """
    rows = isinstance(served.acting, CompactVectorPolicy)
    decided: type[msgspec.Struct] = RowDecideAnswer if rows else DecideAnswer
    _, components = msgspec.json.schema_components(
        (decided, *ANSWERS), ref_template="#/components/schemas/{name}"
    )
    observation = _observation(served.acting)
    schemas: dict[str, Any] = {**components, "Observation": observation}
    if rows:
        body = schemas[RowDecisionBody.__name__]["properties"]
        body["action"], body["vector"] = _action(served.acting)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Decisions of a plan", "version": __version__},
        "paths": _paths(name, served.acting, most_rows),
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _paths(name: str, policy: CompactPolicy, most_rows: int) -> dict[str, Any]:
    one = {"$ref": "#/components/schemas/Observation"}
    text = {"type": "string"}
    alone = {"type": "object", "required": ["observation"], "additionalProperties": False}
    alone |= {"properties": {"observation": one, "id": text}}
    several = {"type": "object", "required": ["observations"], "additionalProperties": False}
    batch = {"type": "array", "items": one, "maxItems": most_rows}
    several |= {"properties": {"observations": batch}}
    cases = {"type": "integer", "minimum": 0, "maximum": 100}
    explain = {"type": "object", "required": ["observation"], "additionalProperties": False}
    explain |= {"properties": {"observation": one, "cases": cases}}
    answer = RowDecideAnswer if isinstance(policy, CompactVectorPolicy) else DecideAnswer
    decide = _post("Decide upon observations.", {"oneOf": [alone, several]}, answer.__name__)
    decide["description"] = DECIDE_WORDS
    explained = _post("Explain a decision.", explain, "ExplainAnswer")
    explained["responses"]["409"] = _refused("The policy has no evidence.")
    infer = _post("Open inference protocol, version 2.", _tensors(policy), None)
    infer["responses"]["404"] = _refused("There is no such model.")
    paths = {
        "/v1/decide": {"post": decide},
        "/v1/explain": {"post": explained},
        "/v1/policy": {"get": _get("The policy that decides.", "PolicyAnswer")},
        "/health/live": {"get": _get("Whether the server runs.", "HealthAnswer")},
        "/health/ready": {"get": _get("Whether decisions are made.", "HealthAnswer")},
        "/metrics": {"get": _get("Counts for Prometheus.", None, "text/plain")},
        "/openapi.json": {"get": _get("This description.", None)},
        "/v2": {"get": _get("The server, in the open inference protocol.", None)},
        f"/v2/models/{name}": {"get": _get("Inputs and outputs of the model.", None)},
        f"/v2/models/{name}/ready": {"get": _get("Whether the model decides.", "HealthAnswer")},
        f"/v2/models/{name}/infer": {"post": infer},
    }
    for where in ("/v2/health/live", "/v2/health/ready"):
        paths[where] = {"get": _get("As without /v2.", "HealthAnswer")}
    return paths


def _get(summary: str, schema: str | None, kind: str = JSON) -> dict[str, Any]:
    return {"summary": summary, "responses": {"200": _answer(schema, kind), **_refusals()}}


def _post(summary: str, body: dict[str, Any], schema: str | None) -> dict[str, Any]:
    more = {
        "415": _refused("The body is of another type."),
        "422": _refused("The body or an observation is not of the form asked for."),
    }
    return {
        "summary": summary,
        "requestBody": {"required": True, "content": {JSON: {"schema": body}}},
        "responses": {"200": _answer(schema, JSON), **_refusals(), **more},
    }


def _answer(schema: str | None, kind: str) -> dict[str, Any]:
    form: dict[str, Any] = {} if schema is None else {"$ref": f"#/components/schemas/{schema}"}
    return {"description": "The answer.", "content": {kind: {"schema": form}}}


def _refusals() -> dict[str, Any]:
    return {status: _refused(words) for status, words in REFUSALS.items()}


def _refused(words: str) -> dict[str, Any]:
    form = {"$ref": "#/components/schemas/ErrorBody"}
    return {"description": words, "content": {JSON: {"schema": form}}}


def _observation(policy: CompactPolicy) -> dict[str, Any]:
    """Return the form of an observation: by name where columns have names, else numbers."""
    number = {"type": ["number", "boolean"], "minimum": -LARGEST, "maximum": LARGEST}
    names = policy.form.names
    if names is None:
        form: dict[str, Any] = number
        for length in reversed(policy.form.shape):
            form = {"type": "array", "items": form, "minItems": length, "maxItems": length}
        return form
    properties: dict[str, Any] = {}
    for name in names:
        base, _, label = name.partition("=")
        if not label:
            properties[name] = number
        elif label == MISSING:
            given = properties.get(base, number)
            properties[base] = {"anyOf": [given, {"type": "null"}]}
        else:
            labels = properties.setdefault(base, {"enum": []})
            labels["enum"].append(label)
    required = list(properties)
    return {"type": "object", "properties": properties, "required": required}


def _action(policy: CompactPolicy) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the forms of an action that is a row: by name, and in order."""
    names = list(policy.action_names)
    number = {"type": "number"}
    named = {"type": "object", "properties": dict.fromkeys(names, number), "required": names}
    width = len(names)
    return named, {"type": "array", "items": number, "minItems": width, "maxItems": width}


def _tensors(policy: CompactPolicy) -> dict[str, Any]:
    width = 1
    for length in policy.form.shape:
        width *= length
    number = {"type": "number", "minimum": -LARGEST, "maximum": LARGEST}
    tensor = {
        "type": "object",
        "required": ["name", "shape", "datatype", "data"],
        "properties": {
            "name": {"const": "observation"},
            "shape": {"const": [1, *policy.form.shape]},
            "datatype": {"enum": ["FP32", "FP64"]},
            "data": {"type": "array", "items": number, "minItems": width, "maxItems": width},
        },
    }
    return {
        "type": "object",
        "required": ["inputs"],
        "properties": {
            "inputs": {"type": "array", "items": tensor, "minItems": 1, "maxItems": 1},
            "id": {"type": "string"},
        },
    }
