"""What the log says about one decision: how similar cases went on, action by action.

Of the logged states most like the one asked about, those in which an action was taken are its
cases. Their discounted returns to the end of the episode, as behaviour went on, have a mean and
Student's interval for it. Nothing is modelled; and nothing says that the cases of one action were
not sicker, or luckier, than those of another.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...arrays import Float64, Floats
from ...data.returns import returns_to_go
from ...neighbors.choice import serving_index
from ...policy.policy import Policy
from ..quantiles import student_reach


@dataclass(frozen=True)
class ActionCases:
    """The similar cases in which one action was taken.

    Attributes:
        action: its name.
        chosen: whether the policy takes it here.
        cases: how many there are.
        episodes: of how many episodes.
        mean: of the discounted returns that followed; NaN where there is no case.
        low, high: interval of the mean; infinite with fewer than two cases.
        terminated: in how many of the cases the episode came to its own end.
    """

    action: str
    chosen: bool
    cases: int
    episodes: int
    mean: float
    low: float
    high: float
    terminated: int

    def __str__(self) -> str:
        if self.cases == 0:
            return f"{self.action}: no similar case"
        mark = " (chosen)" if self.chosen else ""
        return (
            f"{self.action}{mark}: {self.cases} similar cases of {self.episodes} episodes, earned "
            f"{self.mean:.4g} [{self.low:.4g}, {self.high:.4g}] on; {self.terminated} ended"
        )


class SimilarCases:
    """Finds the similar cases of any observation, in a policy's own representation."""

    def __init__(self, policy: Policy, gamma: float, level: float) -> None:
        mdp = policy.plan.mdp
        remedy = "policy.explain(observation) shows the cases behind a decision."
        mdp.transitions.check_numbered("data", "to share similar cases", remedy)
        self._policy, self._level, self._mdp = policy, level, mdp
        self._returns: Float64 = returns_to_go(mdp.transitions, gamma)
        self._index = serving_index(mdp.source_features)
        bounds = [(one.stop - one.start, one.stop - 1) for one in mdp.transitions.episodes()]
        self._episode = np.repeat(np.arange(len(bounds)), [length for length, _ in bounds])
        ends = mdp.transitions.terminations[[last for _, last in bounds]]
        self._terminated = ends[self._episode]

    def of(self, observation: Floats, count: int) -> tuple[ActionCases, ...]:
        """Return the cases of each action among the `count` nearest logged states."""
        data = self._mdp.transitions
        batch = np.asarray(observation).reshape(1, *data.observation_shape)
        features = self._mdp.encoder.encode(batch)
        rows = self._index.query(features, min(count, len(data)))[0][0]
        chosen = int(np.asarray(self._policy.act(batch))[0])
        return tuple(
            self._cases(rows[data.actions[rows] == action], name, action == chosen)
            for action, name in enumerate(data.action_names)
        )

    def _cases(self, rows: Float64, name: str, chosen: bool) -> ActionCases:
        size, returns = len(rows), self._returns[rows]
        mean = float(returns.mean()) if size else math.nan
        half = math.inf
        if size > 1:
            error = float(returns.std(ddof=1)) / math.sqrt(size)
            half = student_reach(size - 1, self._level) * error
        return ActionCases(
            action=name,
            chosen=chosen,
            cases=size,
            episodes=len(np.unique(self._episode[rows])),
            mean=mean,
            low=mean - half,
            high=mean + half,
            terminated=int(self._terminated[rows].sum()),
        )
