"""What a console or a notebook shows of a result: one short line with the figures that count."""

from __future__ import annotations

import pytest

import deepaveragers as da

SHORT = 250


@pytest.fixture(scope="module")
def results(cartpole, model, plan):
    return {
        "plan": plan,
        "guarantee": da.guarantee(plan),
        "diagnosis": da.diagnose(cartpole),
        "report": da.evaluate(plan.policy(), "CartPole-v1", 5),
        "comparison": plan.compare(model.solve(gamma=0.9)),
        "decision": plan.policy().explain(cartpole.observations[0]),
        "fit": da.fit(
            cartpole, da.candidate_grid(k=(1,), cost=(1.0,), k_pi=(1, 5)), time_budget=20
        ),
        "policy": plan.policy(),
        "model": model,
        "data": cartpole,
    }


NAMED = {
    "plan": lambda plan: ("3,000 core states", "gamma=0.99", "optimal", f"+-{plan.error:.2g}"),
    "guarantee": lambda found: (f"{found.mean_lower_bound:.5g}", "chance 0.95"),
    "diagnosis": lambda found: ("3,000 transitions", *(one.code for one in found.findings)),
    "report": lambda report: (f"{report.mean:.5g}", "5 episodes"),
    "comparison": lambda found: (f"{found.share:.1%}", f"{found.first_loss.lost:.4g}"),
    "decision": lambda decision: (repr(decision.action_name), "11 transitions"),
    "fit": lambda found: (str(found.candidate), "2 candidates"),
    "policy": lambda _: ("k=11",),
    "model": lambda _: ("3,000 core states",),
    "data": lambda _: ("3,000 transitions",),
}


@pytest.mark.parametrize("name", NAMED)
def test_a_result_is_shown_in_one_short_line(results, name):
    shown = repr(results[name])
    assert "\n" not in shown
    assert len(shown) <= SHORT, shown
    for word in NAMED[name](results[name]):
        assert word in shown, shown


def test_a_plan_shows_what_was_asked_and_no_data(model):
    asked = {"slip": 0.1, "rewards": model.transitions.rewards, "action_penalties": [0.0, 0.5]}
    shown = repr(model.solve(**asked))
    assert "slip=0.1" in shown
    assert "action_penalties=[0.0, 0.5]" in shown
    assert "rewards='given'" in shown
    assert len(shown) <= SHORT
