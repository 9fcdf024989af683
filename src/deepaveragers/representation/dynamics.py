"""A representation learnt from what actions do.

A small network reads the observation; its narrow last layer, of 16 tanh units, is the
representation z(s). Linear outputs on z predict, for each action, how the state changes (and
what else is asked for, see `dynamics_targets`); of a logged transition only the outputs of its
action are trained. Where actions are rows, predictions are linear in the action's numbers and
their squares, with coefficients that are outputs on z. So states are near each other where actions
do the same, and what has no influence on that is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..arguments import (
    check_takes,
    flag,
    instance,
    number,
    optional,
    seed_number,
    several,
    whole_number,
)
from ..data.transitions import Transitions
from .architecture import Architecture, Kind, design
from .dynamics_targets import (
    Predicted,
    Target,
    action_outputs,
    checked_predictions,
    checked_steps,
    make_targets,
)
from .network_encoder import NetworkEncoder

HEAD = "dynamics"


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class DynamicsEncoder(NetworkEncoder):
    """The narrow layer of a network that predicts what actions do."""

    head: str = HEAD


def train_dynamics(
    data: Transitions,
    steps: int = 3_000,
    *,
    predict: Sequence[Predicted] = ("change",),
    ahead: Sequence[int] | int = 1,
    gamma: float = 0.99,
    dimensions: int = 16,
    hidden: Sequence[int] = (256, 256),
    architecture: Kind = "auto",
    batch_size: int = 256,
    learning_rate: float = 1e-3,
    seed: int = 0,
    device: str = "cpu",
    show_progress: bool | None = None,
    watch: Callable[[int, int], None] | None = None,
) -> DynamicsEncoder:
    """Train a network to predict what actions do, and return it as an encoder.

    Args:
        data: the transitions.
        steps: number of updates; 3,000 take about 8 seconds for vectors on one core.
        predict: what is predicted: "change" of the state, "state", "reward", "end", "return",
            and the logged "action".
        ahead: after how many steps the change is predicted; several numbers for several.
        gamma: discount of "return".
        dimensions: width of the representation.
        hidden: widths of the layers before it.
        architecture: "auto", or the kind of network.
        batch_size: transitions per update.
        learning_rate: of Adam at the beginning; it falls to 0 along a half cosine.
        seed: of the weights and the batches; the same seed gives the same network.
        device: "cpu" or a CUDA device.
        show_progress: force the bar on or off; None shows it on a terminal.
        watch: called with the updates that are done and their number; what it raises ends it.
    """
    from .dynamics_training import Run, train
    from .standardizing import input_standardization

    instance("data", data, Transitions, "Transitions")
    layers = [whole_number("hidden", one) for one in several("hidden", hidden, "widths >= 1")]
    dimensions = whole_number("dimensions", dimensions)
    run = Run(
        steps=whole_number("steps", steps),
        batch_size=whole_number("batch_size", batch_size),
        learning_rate=number("learning_rate", learning_rate, above=0.0),
        seed=seed_number(seed),
        device=device,
        show_progress=optional(flag, "show_progress", show_progress),
        watch=watch,
    )
    if watch is not None:
        check_takes("watch", watch, "done", "steps")
    names, distances = checked_predictions(predict), checked_steps(ahead)
    gamma = number("gamma", gamma, least=0.0, most=1.0)
    targets = make_targets(data, names, distances, gamma)
    network = _network(data, architecture, (*layers, dimensions), targets)
    scales = input_standardization(network, data.observations)
    weights = train(data, network, {**network.initial_weights(run.seed), **scales}, targets, run)
    return DynamicsEncoder(architecture=network, weights=weights, device=device)


def _network(
    data: Transitions, architecture: Kind, hidden: tuple[int, ...], targets: Sequence[Target]
) -> Architecture:
    """Return a network that reads the observations and has an output for all that is predicted."""
    return design(
        data.observations,
        architecture,
        hidden=hidden,
        heads=(HEAD,),
        outputs=sum(target.outputs(action_outputs(data)) for target in targets),
        bottleneck="tanh",
    )
