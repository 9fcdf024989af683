"""The open inference protocol, version 2, as model servers speak it."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from .. import __version__
from ..arrays import Array
from ..policy.deciding import Decisions
from ..server.problems import Problem
from .current import Current, Served
from .deciding import Decider
from .reading import JSON, decoded, tensor_rows
from .routes import Routes, content_type

INPUT = "observation"
INFER_FORM = '{"inputs": [{"name": ..., "shape": [...], "datatype": "FP64", "data": [...]}]}'
FLOATS = {"FP32": np.float32, "FP64": np.float64}
DATATYPES = {
    np.dtype(np.int32): "INT32",
    np.dtype(np.int64): "INT64",
    np.dtype(np.float32): "FP32",
    np.dtype(np.float64): "FP64",
    np.dtype(bool): "BOOL",
}


class Tensor(msgspec.Struct):
    """Numbers in the order of their rows.

    Attributes:
        name: of the output.
        shape: of the numbers.
        datatype: of each: FP32, FP64, INT32, INT64, BOOL or BYTES.
        data: the numbers, flat.
    """

    name: str
    shape: list[int]
    datatype: str
    data: list[Any]


class AskedOutput(msgspec.Struct):
    """An output that is asked for.

    Attributes:
        name: of the output.
    """

    name: str


class GivenTensor(msgspec.Struct):
    """Numbers in the order of their rows, as they are given.

    Attributes:
        name: of the input.
        shape: of the numbers.
        datatype: of each: FP32 or FP64.
        data: the numbers, flat or nested.
    """

    name: str
    shape: list[int]
    datatype: str
    data: list[float | list[Any]]


class InferRequest(msgspec.Struct):
    """What to decide upon.

    Attributes:
        inputs: one, called "observation".
        outputs: those that are wanted; all where none are named.
        id: the client's name for the request.
    """

    inputs: list[GivenTensor]
    outputs: list[AskedOutput] | UnsetType = UNSET
    id: str | UnsetType = UNSET


class InferAnswer(msgspec.Struct, omit_defaults=True):
    """Decisions as tensors.

    Attributes:
        model_name: of the policy.
        model_version: digest of the policy that made all of them.
        outputs: "action" (number), "action_name", "q", "support" and "abstained"; where actions
            are rows, "action" (its numbers), "value", "support" and "abstained".
        id: as in the request.
    """

    model_name: str
    model_version: str
    outputs: list[Tensor]
    id: str | UnsetType = UNSET


class Inference:
    """Answers requests of the protocol.

    Args:
        name: of the model.
        current: holds the policy that decides.
        decider: decides.
        routes: know whether decisions are made.
    """

    def __init__(self, name: str, current: Current, decider: Decider, routes: Routes) -> None:
        self._name, self._current = name, current
        self._decider, self._routes = decider, routes
        self._decoder = msgspec.json.Decoder(InferRequest)
        self._encode = msgspec.json.Encoder().encode

    def all(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/v2", self.server, methods=["GET"]),
            Route("/v2/health/live", self._routes.live, methods=["GET"]),
            Route("/v2/health/ready", self._routes.ready, methods=["GET"]),
            Route("/v2/models/{name}", self.model, methods=["GET"]),
            Route("/v2/models/{name}/ready", self.ready, methods=["GET"]),
            Route("/v2/models/{name}/infer", self.infer, methods=["POST"]),
        ]

    async def server(self, request: Request) -> Response:
        """Describe the server."""
        return self._json({"name": "deepaveragers", "version": __version__, "extensions": []})

    async def model(self, request: Request) -> Response:
        """Describe inputs and outputs."""
        self._check_name(request)
        served = self._current.served
        policy = served.acting
        outputs = _outputs(policy.decide([])).values()
        given = {"name": INPUT, "datatype": "FP64", "shape": [-1, *policy.form.shape]}
        return self._json(
            {
                "name": self._name,
                "versions": [served.plan],
                "platform": "deepaveragers",
                "inputs": [given],
                "outputs": [
                    {"name": one.name, "datatype": one.datatype, "shape": [-1, *one.shape[1:]]}
                    for one in outputs
                ],
            }
        )

    async def ready(self, request: Request) -> Response:
        """Say whether the model decides."""
        self._check_name(request)
        return await self._routes.ready(request)

    async def infer(self, request: Request) -> Response:
        """Decide upon a tensor of observations."""
        self._check_name(request)
        served = self._current.served
        content_type(request, (JSON,))
        return await self._decider.apart(self._inferred, served, await request.body())

    def _inferred(self, served: Served, body: bytes) -> Response:
        asked: InferRequest = decoded(self._decoder, body, INFER_FORM)
        numbers, dtype = _tensor(asked.inputs, served.acting.form.shape)
        rows = tensor_rows(served.acting, numbers, dtype)
        decisions, _ = self._decider.many(served, rows, None)
        outputs = _outputs(decisions)
        wanted = list(outputs)
        if isinstance(asked.outputs, list) and asked.outputs:
            wanted = [one.name for one in asked.outputs]
        unknown = [name for name in wanted if name not in outputs]
        if unknown:
            raise Problem(422, f"outputs must be among {', '.join(outputs)}.")
        tensors = [outputs[name] for name in wanted]
        return self._json(InferAnswer(self._name, served.plan, tensors, asked.id))

    def _check_name(self, request: Request) -> None:
        if request.path_params["name"] != self._name:
            raise Problem(404, f"The model is called {self._name!r}.")

    def _json(self, answer: Any) -> Response:
        return Response(self._encode(answer), media_type=JSON)


def _tensor(inputs: list[GivenTensor], shape: tuple[int, ...]) -> tuple[Array, Any]:
    """Return the numbers [B, ...] of the one input as float64, and their type."""
    if len(inputs) != 1 or inputs[0].name != INPUT:
        raise Problem(422, f"inputs must be one, called {INPUT!r}.")
    (given,) = inputs
    if given.datatype not in FLOATS:
        raise Problem(422, f"datatype must be {' or '.join(FLOATS)}.")
    if tuple(given.shape[1:]) != shape or given.shape[:1] < [0]:
        wanted = ", ".join(["B", *map(str, shape)])
        raise Problem(422, f"shape must be [{wanted}].")
    try:
        numbers = np.asarray(given.data, dtype=np.float64).reshape(given.shape)
        return numbers, FLOATS[given.datatype]
    except (TypeError, ValueError, OverflowError):
        raise Problem(422, "data must be numbers, as many as the shape says.") from None


def _outputs(decisions: Decisions) -> dict[str, Tensor]:
    rows = decisions.actions.ndim == 2
    worth = {"value": decisions.values} if rows else {"q": decisions.q_values}
    arrays = {
        "action": decisions.actions,
        **worth,
        "support": decisions.support,
        "abstained": decisions.abstained,
    }
    tensors = {
        name: Tensor(name, list(array.shape), DATATYPES[array.dtype], array.reshape(-1).tolist())
        for name, array in arrays.items()
    }
    if rows:
        return tensors
    names = Tensor("action_name", [len(decisions)], "BYTES", decisions.names)
    return {"action": tensors.pop("action"), "action_name": names, **tensors}
