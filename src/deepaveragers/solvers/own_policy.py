"""The plan that does what the network of the representation would do.

Where the representation is that of a network that can act (`representation.own_policy`), a(s) is
the network's action. The plan is that of an MDP in which every core state has this one action:

    V(s) = Q(s, a(s)),    Q(s, a) = sum_j alpha_j (r_j - C d_j + gamma V(s'_j)).

So the network decides, and the log says what comes of it: values are certified, and rest on logged
transitions like any other plan's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Unpack

import numpy as np

from ..arguments import check_known, instance
from ..arrays import Bool
from ..data.observations import rows_at_once
from ..errors import InputError
from ..mdp.model import DacMdp
from ..mdp.objective import Objective, ObjectiveFields
from ..representation.own_policy import OwnPolicy, own_policy_of
from .plan import Plan


def solve_own_policy(
    mdp: DacMdp,
    objective: Objective | None = None,
    *,
    tolerance: float = 1e-3,
    **asked: Unpack[ObjectiveFields],
) -> Plan:
    """Return the plan that does what the network of the representation would do.

    Its `plan.policy()` acts as the network does (lookup "network").

    Args:
        mdp: compiled with a network that can act: `train_bcq(data, representation="both")` or
            `train_dqn(data)`.
        objective: what is asked; or give its fields as keywords. Its support is asked of the
            network's own imitation of the log: 1 imitates, 0 is the network's own threshold.
        tolerance: as of `DacMdp.solve`.
        asked: fields of `Objective`; `action_mask` is the network's choice.
    """
    instance("mdp", mdp, DacMdp, "a DacMdp")
    check_known("options", asked, Objective.field_names() | {"objective", "tolerance"})
    objective = Objective.asked(objective, asked)
    instance("objective", objective, Objective, "an Objective")
    for name in ("action_mask", "forbidden_actions"):
        if name in objective.unusual():
            remedy = f"Ask a plan of its own for that: mdp.solve({name}=...)."
            raise InputError(name, "left out: the network decides", "given", remedy)
    own = own_policy_of(mdp.encoder, objective.support)
    plan = mdp.solve(replace(objective, action_mask=_taken(mdp, own)), tolerance=tolerance)
    return replace(plan, lookup="network")


def _taken(mdp: DacMdp, own: OwnPolicy) -> Bool:
    """Return [N, A] bool: the network's action in every core state."""
    features, step = mdp.core_features, rows_at_once(mdp.core_features)
    parts = [own.taken(features[at : at + step]) for at in range(0, len(features), step)]
    return np.concatenate(parts)
