"""The report: what is known of a plan, for people who decide about it."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..arguments import file_path, shown
from ..data.column_names import labels_of
from ..data.transitions import Transitions
from ..doctor.diagnosing import diagnose
from ..doctor.findings import Diagnosis
from ..errors import InputError, StorageError
from ..evaluation.comparing import shifts_of
from ..evaluation.comparison import Shift
from ..evaluation.fitting.answer import Fit
from ..markup import escaped
from ..mdp.jumps import jumps_known
from ..outputs import check_file
from ..policy.decision import Decision
from ..policy.policy import Policy
from ..solvers.plan import Plan
from .accounts import Account, accounts_of
from .decisions import Change, Decisions, decisions_of
from .promise import Promise, promise_of
from .tree import Rule, in_words
from .typical import typical_states

CASES = 3
"""Comparable cases of an action that fit beside each other."""


@dataclass(frozen=True, eq=False)
class Report:
    """What is known of a plan.

    Attributes:
        policy: how the plan acts.
        decisions: what it does in logged states, and what was done.
        changes: the kinds of decisions that it would change, the most frequent first; none where
            actions are rows.
        shifts: where actions are rows, how each column changes from the log to the plan.
        accounts: what it does in few words; of rows, by column.
        promise: what the plan promises, and what the log earned.
        fit: the answer of held-out episodes, where there is one.
        examples: typical decisions, each with the transition that it is asked at.
        diagnosis: what the doctor says of the data.
        jumps: how far neighbours are, in lengths of a step; 0 of a log too small to say so.
    """

    policy: Policy
    decisions: Decisions
    changes: tuple[Change, ...]
    shifts: tuple[Shift, ...]
    accounts: tuple[Account, ...]
    promise: Promise
    fit: Fit | None
    examples: tuple[tuple[int, Decision], ...]
    diagnosis: Diagnosis
    jumps: float

    @property
    def data(self) -> Transitions:
        """The log."""
        return self.policy.plan.mdp.transitions

    @property
    def share(self) -> float:
        """Share of the logged states where the plan does something else than was done."""
        return float(self.decisions.differs.mean())

    @property
    def rules(self) -> tuple[Rule, ...]:
        """A small tree that tells what the plan does; of rows, of the column that changes most."""
        return self.accounts[0].rules

    @property
    def fidelity(self) -> float:
        """Share of the states for which the rules tell the plan's action."""
        return self.accounts[0].fidelity

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, with units; none for pictures."""
        data = self.data
        names = labels_of(data.observation_names, data.observation_shape)
        units = data.observation_units or ("",) * len(names)
        return tuple(f"{n} [{u}]" if u else n for n, u in zip(names, units, strict=True))

    def rule_words(self, rule: Rule) -> str:
        """Return when a rule applies, as a sentence."""
        return in_words(rule, self.columns, self.decisions.columns)

    def html(self) -> str:
        """Return one page that needs nothing else."""
        from .page import page

        return page(self)

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the page, and return its path."""
        path = file_path("path", path)
        check_page(path)
        content = self.html().encode()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        except OSError as error:
            raise StorageError(f"{path} cannot be written: {error.strerror}.") from error
        return path

    def summary(self) -> dict[str, Any]:
        """Return the figures as plain values, for JSON."""
        return {
            "states": len(self.decisions.rows),
            "different": int(self.decisions.differs.sum()),
            "share": self.share,
            "changes": [asdict(change) for change in self.changes],
            "shifts": [asdict(shift) for shift in self.shifts],
            "rules": [
                {
                    "when": self.rule_words(rule),
                    "action": account.names[rule.action],
                    "states": len(rule.states),
                }
                for account in self.accounts
                for rule in account.rules
            ],
            "fidelity": self.fidelity,
            "promise": asdict(self.promise),
            "answer": None if self.fit is None else self.fit.answer,
            "examples": [
                {"transition": row, "decision": decision.summary()}
                for row, decision in self.examples
            ],
            "findings": [finding.summary() for finding in self.diagnosis.findings],
            "neighbour_distance_in_steps": self.jumps,
        }

    def __repr__(self) -> str:
        return (
            f"Report(other actions in {self.share:.1%} of {len(self.decisions.rows):,} logged "
            f"states, {len(self.rules)} rules tell {self.fidelity:.1%} of the plan's)"
        )

    def _repr_html_(self) -> str:
        style = "width:100%;height:45rem;border:0"
        return f'<iframe sandbox style="{style}" srcdoc="{escaped(self.html())}"></iframe>'


def report(plan: Plan | Policy | Fit) -> Report:
    """Say what a plan is made of, what it would change, what it promises, and what limits it.

    Args:
        plan: a plan, which acts by `plan.policy()`; a policy; or the answer of `fit`, whose
            held-out estimate the report then shows.
    """
    policy, fit = _asked(plan)
    mdp = policy.plan.mdp
    data = mdp.transitions
    decisions = decisions_of(policy)
    accounts = accounts_of(data, decisions)
    chosen = typical_states(decisions, accounts[0], mdp.source_features[decisions.rows])
    rows = decisions.rows[chosen].tolist()
    return Report(
        policy=policy,
        decisions=decisions,
        changes=decisions.changes(data.action_names),
        shifts=shifts_of(data, decisions.logged, decisions.planned) if data.action_vectors else (),
        accounts=accounts,
        promise=promise_of(policy.plan),
        fit=fit,
        examples=tuple(
            (row, policy.explain(np.asarray(data.observations[row]), CASES)) for row in rows
        ),
        diagnosis=diagnose(data),
        jumps=jumps_known(mdp.graph, mdp.source_features, mdp.core_features, data.terminations),
    )


def check_page(path: Path) -> None:
    """Raise an error unless a page can be written there, before any long work."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise InputError("path", "a name that ends in .html", str(path))
    check_file(path)


def _asked(plan: Any) -> tuple[Policy, Fit | None]:
    if isinstance(plan, Fit):
        return plan.policy, plan
    if isinstance(plan, Plan):
        return plan.policy(), None
    if not isinstance(plan, Policy):
        raise InputError("plan", "a Plan, a Policy, or the answer of fit", shown(plan))
    return plan, None
