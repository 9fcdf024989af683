"""The plan: certified values of every core state, and how they were reached."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from ..arguments import check_known, instance, shown
from ..arrays import Float64, frozen
from ..markup import table_html
from ..mdp.cost import best_logged_return
from ..mdp.logged_returns import logged_rewards
from ..mdp.model import DacMdp
from ..mdp.objective import Objective
from .certificate import Certificate

if TYPE_CHECKING:
    from ..evaluation.comparison import Comparison
    from ..policy.policy import LookupName, Policy

Status = Literal["optimal", "out_of_sweeps", "out_of_time", "interrupted"]


class Solution(NamedTuple):
    """Values [N] and action values [N, A], what is proved of them, and after how many sweeps."""

    status: Status
    proof: Certificate
    values: Float64
    q_values: Float64
    sweeps: int

    def plan(self, mdp: DacMdp, objective: Objective, tolerance: float, began: float) -> Plan:
        """Return the plan; `began` is a moment of `time.perf_counter`."""
        seconds, proof = time.perf_counter() - began, self.proof
        return Plan(
            mdp=mdp, objective=objective, values=self.values, q_values=self.q_values,
            below=proof.below, above=proof.above, policy_below=proof.policy_below,
            tolerance=tolerance, status=self.status, residual=proof.residual,
            sweeps=self.sweeps, seconds=seconds,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Plan:
    """The solution of one objective on one compiled MDP.

    The certificate: for every core state, lower <= V* <= upper, where V* is the exact
    optimal value of the compiled MDP under the objective; with a horizon, the optimal value
    of that many steps.

    Attributes:
        mdp: the compiled MDP that was solved.
        objective: the question.
        values: [N] float64, V of every core state; 0 where the episode ended.
        q_values: [N, A] float64; -inf for an action that is not available, 0 where the
            episode ended. Elsewhere `values` is their maximum over the available actions;
            with slip p, (1 - p) times their maximum plus p times their mean. With a
            horizon, they are those of the first step; the plan of h steps more is another
            solve, `horizon=h`, and takes h sweeps, or fewer where the last ones would not
            change anything.
        below: how far V* can lie below `values` (>= 0).
        above: how far V* can lie above `values` (>= 0).
        tolerance: what was asked for, relative to |T 0| / (1 - gamma), where |T 0| is the
            largest absolute value of one step, costs included.
        status: "optimal" if the tolerance was reached, otherwise what ran out first.
        residual: largest absolute Bellman change at the last sweep.
        sweeps: number of sweeps over all states and actions.
        seconds: wall-clock time of the solve.
        policy_below: how far the values of the greedy policy can lie below `values`; None
            if nothing is known, as with a horizon.
        k_pi: neighbours that its policy averages, unless told otherwise.
        lookup: how its policy looks values up, unless told otherwise; see `Policy`.
    """

    mdp: DacMdp
    objective: Objective
    values: Float64
    q_values: Float64
    below: float
    above: float
    tolerance: float
    status: Status
    residual: float
    sweeps: int
    seconds: float
    policy_below: float | None = None
    k_pi: int = 11
    lookup: LookupName = "auto"

    def __post_init__(self) -> None:
        for name in ("values", "q_values"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    def __repr__(self) -> str:
        asked = {"gamma": self.objective.gamma, "cost": self.objective.cost}
        asked |= self.objective.unusual()
        words = ", ".join(
            f"{name}={value:.7g}" if isinstance(value, float) else f"{name}={shown(value)}"
            for name, value in asked.items()
        )
        return (
            f"Plan({len(self.values):,} core states, {words}: {self.status}, "
            f"values certified to +-{self.error:.2g}, {self.sweeps:,} sweeps, {self.seconds:.2g} s)"
        )

    @property
    def lower(self) -> Float64:
        """[N] float64, certified lower bounds on the optimal values."""
        return np.where(self.mdp.transitions.terminations, 0.0, self.values - self.below)

    @property
    def upper(self) -> Float64:
        """[N] float64, certified upper bounds on the optimal values."""
        return np.where(self.mdp.transitions.terminations, 0.0, self.values + self.above)

    @property
    def error(self) -> float:
        """Largest possible distance between `values` and the optimal values."""
        return max(self.below, self.above)

    @property
    def greedy_loss(self) -> float:
        """The most that acting by the largest `q_values` loses in any core state, V* - V_pi.

        With pi the greedy policy and c = `policy_below`, the last sweep proved that
        T_pi(V - c) >= V - c, so V_pi >= V - c; and V* <= V + above. Unknown (inf) with a
        horizon, where every step has its own greedy policy.
        """
        return np.inf if self.policy_below is None else self.policy_below + self.above

    @property
    def converged(self) -> bool:
        """Whether the tolerance that was asked for is certified."""
        return self.status == "optimal"

    @property
    def best_logged_return(self) -> float:
        """The largest return that followed any transition in the log, under this objective.

        Its prices of actions are taken off; whole episodes count, also with a horizon. Values above
        it come from joining parts of different episodes.
        """
        earned = logged_rewards(self.mdp, self.objective)
        return best_logged_return(self.mdp, earned, float(self.objective.gamma))

    def start_value(self) -> float:
        """Return the mean planned value of the first observations of all episodes.

        Those in which no action is available are left out; NaN where there is no other.
        """
        from .start_states import start_states

        values = start_states(self.mdp).values(self.objective, self.values)
        there = ~np.isnan(values)
        return float(values[there].mean()) if there.any() else math.nan

    def summary(self) -> dict[str, Any]:
        """Return the figures as plain values, for JSON."""
        return {
            "status": self.status,
            "certified_error": self.error,
            "greedy_loss": self.greedy_loss if np.isfinite(self.greedy_loss) else None,
            "tolerance": self.tolerance,
            "residual": self.residual,
            "sweeps": self.sweeps,
            "solve_seconds": self.seconds,
            "gamma": self.objective.gamma,
            "cost": self.objective.cost,
            "weighting": self.objective.weighting,
            "asked": self.objective.unusual(),
            "mean_value": float(self.values.mean()),
            "best_logged_return": self.best_logged_return,
        }

    def _repr_html_(self) -> str:
        asked = {"gamma": self.objective.gamma, "cost": self.objective.cost}
        rows = [
            ("core states", f"{len(self.values):,}"),
            *((name, shown(value)) for name, value in (asked | self.objective.unusual()).items()),
            ("status", self.status),
            ("values certified to", f"±{self.error:.2g}"),
            ("mean value", f"{self.values.mean():.5g}"),
            ("sweeps", f"{self.sweeps:,}"),
        ]
        return f"<p><b>Plan</b></p>{table_html(rows)}"

    def compare(self, other: Plan) -> Comparison:
        """Return where the two plans act differently, and what each loses by that."""
        from ..evaluation.comparing import compare

        return compare(self, instance("other", other, Plan, "a Plan"))

    def policy(
        self, k: int | None = None, lookup: LookupName | None = None, **options: Any
    ) -> Policy:
        """Return a policy that acts on any observation; the options are those of `Policy`.

        Args:
            k: neighbours that a decision averages; None takes the plan's own `k_pi`.
            lookup: as of `Policy`; None takes the plan's own.
            options: the others of `Policy`.
        """
        from ..policy.policy import Policy, policy_of

        check_known("options", options, signature(Policy).parameters.keys() - {"plan"})
        k, lookup = self.k_pi if k is None else k, self.lookup if lookup is None else lookup
        return policy_of(self, k=k, lookup=lookup, **options)
