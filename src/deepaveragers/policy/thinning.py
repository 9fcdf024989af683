"""Fewer states with the whole policy's Q-values, for devices with little memory.

States are drawn from the log, and each has the whole policy's own Q-values there, so that
averaging over fewer neighbours suffices; how many is chosen on states that were not drawn. The
agreement is measured on others again. To add states on which both differ gained less than 1 %.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arrays import Array, Float64, Floats
from ..data.digest import digest_of
from ..errors import InputError
from ..neighbors.choice import serving_index
from .compact import Agreement, CompactPolicy
from .rules import Allowed, NearestRule, Rule
from .support import Support

NEIGHBORS = (1, 3, 5, 11)
"""That a decision of a thin policy may average."""
MOST_ASKED = 10_000
"""States on which the number of neighbours is chosen, and as many on which both are compared."""
ASKED_SHARE = 0.1
"""Of the log, for each of the two, where that is less."""


def thinned(whole: CompactPolicy, features: Floats, states: int, seed: int) -> CompactPolicy:
    """Return a policy that keeps the given number of states.

    Args:
        whole: the policy to be made thin.
        features: [N, D] of the logged states.
        states: that it keeps.
        seed: of the choice of states.
    """
    asked = min(MOST_ASKED, int(ASKED_SHARE * len(features)))
    most = len(features) - 2 * asked
    if not 1 <= states <= most or not asked:
        allowed = f"at most {most:,}, for some of the log must tell how well it agrees"
        raise InputError("states", allowed, states)
    order = np.random.default_rng(seed).permutation(len(features))
    kept: Floats = features[order[2 * asked : 2 * asked + states]]
    tried, tested = features[order[:asked]], features[order[asked : 2 * asked]]
    rule = _best(whole.rule, kept, tried)
    return CompactPolicy(
        whole.encoder,
        whole.form,
        rule,
        Support(rule.index, kept, rule.k),
        whole.manner,
        replace(whole.origin, plan=digest_of([kept], f"{whole.origin.plan} {rule.k}")),
        _agreement(whole.rule.judge(tested)[0], rule.judge(tested)[0], states),
    )


def _best(whole: Rule, kept: Floats, tried: Floats) -> NearestRule:
    """Return the rule over the kept states that agrees best on those tried."""
    q_values, wanted = whole.judge(kept)[0], whole.judge(tried)[0]
    index = serving_index(kept)
    everything = Allowed(np.ones((1, q_values.shape[1]), bool))
    rules = [
        NearestRule(index, q_values, k, "inverse", everything) for k in NEIGHBORS if k <= len(kept)
    ]
    return min(rules, key=lambda rule: _differs(wanted, rule.judge(tried)[0]).mean())


def _differs(one: Float64, other: Float64) -> Array:
    return np.argmax(one, axis=1) != np.argmax(other, axis=1)


def _agreement(whole: Float64, thin: Float64, states: int) -> Agreement:
    """Return how well actions by thin Q-values [B, A] agree, in Q-values [B, A] of the whole."""
    chosen = np.take_along_axis(whole, np.argmax(thin, axis=1)[:, None], axis=1)[:, 0]
    with np.errstate(invalid="ignore"):
        lost = whole.max(axis=1) - chosen
    same = 1.0 - float(_differs(whole, thin).mean())
    return Agreement(states, len(whole), same, float(lost[np.isfinite(lost)].mean()))
