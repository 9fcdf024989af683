"""Plans over candidates equal the equations, whatever is asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.mdp.explicit_candidates import ExplicitCandidates, Question, random_rows

import deepaveragers as da
from deepaveragers.kernels.bellman import reference
from deepaveragers.mdp.problem import pose


def compiled(data: da.Transitions, asked: Question, **options: Any) -> da.DacMdp:
    return da.compile(
        data, min(asked.k, len(data)), da.Identity(), candidates=asked.m,
        landing=asked.landing, **options,  # type: ignore[arg-type]
    )  # fmt: skip


def objective(asked: Question, **fields: Any) -> da.Objective:
    given: dict[str, Any] = {
        "gamma": asked.gamma,
        "cost": asked.cost,
        "weighting": "uniform" if asked.uniform else "inverse",
        "slip": asked.slip,
        "worst_case": asked.worst,
        "rewards": asked.rewards,
        "action_penalties": asked.fees,
        "action_mask": asked.mask,
        "support": asked.support,
        "horizon": asked.horizon,
        "action_noise": asked.noise,
    }
    return da.Objective(**{**given, **fields})


@st.composite
def questions(draw: Any) -> Question:
    noise = draw(st.sampled_from([0.0, 0.0, 0.05, 0.4, 1e-3]))
    return Question(
        noise=noise,
        gamma=draw(st.sampled_from([0.0, 0.5, 0.9, 0.97])),
        cost=draw(st.sampled_from([0.0, 0.3, 2.0])),
        m=draw(st.integers(1, 6)),
        k=draw(st.integers(1, 4)),
        landing=draw(st.sampled_from(["change", "own"])),
        uniform=draw(st.booleans()),
        slip=draw(st.sampled_from([0.0, 0.2])),
        worst=0.0 if noise else draw(st.sampled_from([0.0, 0.3])),
        support=draw(st.sampled_from([0.0, 0.0, 0.6])),
        horizon=draw(st.sampled_from([None, None, 3])),
    )


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**31), st.integers(2, 25), questions(), st.booleans(), st.booleans())
def test_values_equal_an_explicit_mdp(
    seed: int, size: int, asked: Question, forbid: bool, mask: bool
) -> None:
    data = random_rows(seed, size)
    rng = np.random.default_rng(seed)
    fields: dict[str, Any] = {}
    if forbid:
        asked.forbidden = data.actions[:, 0] >= 0.5
        assume(not asked.forbidden.all())
        fields["forbidden_actions"] = {"a0": (0.5, None)}
        asked.fees, asked.rewards = rng.random(size), rng.normal(size=size)
    elif mask:
        asked.mask = lambda seen, actions: actions[:, 1] <= seen[:, 0] + 2.0
    explicit = ExplicitCandidates(data, asked)
    stuck = [s for s, row in enumerate(explicit.rows) if not row and not data.terminations[s]]
    assume(not stuck)
    plan = compiled(data, asked).solve(objective(asked, **fields), tolerance=1e-6)
    exact = explicit.optimal()
    precision = 1e-7 if asked.noise else 0.0  # of weights, which a graph has in float32
    slack = (1e-6 + precision / (1.0 - asked.gamma)) * (1.0 + np.abs(exact).max())
    assert (plan.lower - slack <= exact).all()
    assert (exact <= plan.upper + slack).all()
    np.testing.assert_allclose(plan.values, exact, atol=plan.error + slack)
    # The reference operator agrees with the one written out here.
    model = pose(plan.mdp, plan.objective)
    start = rng.normal(size=size)
    expected = explicit.backup(np.where(data.terminations, 0.0, start))
    exactly = 1e-9 + 10.0 * precision
    np.testing.assert_allclose(reference.bellman(model, start), expected, atol=exactly)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**31), st.integers(2, 25), questions(), st.booleans())
def test_a_policy_takes_the_best_candidate(
    seed: int, size: int, asked: Question, forbid: bool
) -> None:
    data = random_rows(seed, size)
    fields: dict[str, Any] = {}
    asked.horizon = None
    if forbid:
        asked.forbidden = data.actions[:, 0] >= 0.5
        assume(not asked.forbidden.all())
        fields["forbidden_actions"] = lambda actions: actions[:, 0] >= 0.5
    explicit = ExplicitCandidates(data, asked)
    plan = compiled(data, asked).solve(objective(asked, **fields))
    policy = plan.policy()
    states = np.random.default_rng(seed).integers(-3, 4, (4, 2)).astype(float)
    actions = policy.act(states)
    assert actions.shape == (4, 2)
    np.testing.assert_array_equal(policy.act(states[0]), actions[0])
    weighed, q_values = policy.candidates(states)  # type: ignore[attr-defined]
    for row, state in enumerate(states):
        choices = explicit.choices(state)
        worth = explicit.q_values(choices, plan.values)
        np.testing.assert_allclose(q_values[row].max(), max(worth), atol=1e-5)
        place = int(np.argmax(q_values[row]))
        np.testing.assert_array_equal(weighed[row, place], actions[row])
        taken = [data.actions[c] for (c, _, _), q in zip(choices, worth) if q >= max(worth) - 1e-5]
        assert any((one == actions[row]).all() for one in taken)
        decision = policy.explain(state)
        assert decision.action == tuple(actions[row].tolist())
        total = decision.q_values[decision.best]
        shares = sum(one.share for one in decision.evidence)
        np.testing.assert_allclose(shares, total, atol=1e-9)
        parts = decision.reward + decision.future - decision.penalty
        np.testing.assert_allclose(parts, total, atol=1e-9)
        assert str(decision)
        assert decision.decomposition()


def test_bits_do_not_depend_on_threads_or_engine() -> None:
    data, asked = random_rows(5, 400), Question(m=6, k=3, gamma=0.95)
    whole = [
        compiled(data, asked, threads=threads, neighbors=engine)
        for threads in (1, 2, 3)
        for engine in ("tree", "dense", "brute")
    ]
    for other in whole[1:]:
        for name in ("transitions", "gaps", "indices", "distances"):
            first = getattr(whole[0].graph, name)
            np.testing.assert_array_equal(first, getattr(other.graph, name))
    plans = [whole[0].solve(gamma=0.95, threads=threads) for threads in (1, 2, 3)]
    for plan in plans[1:]:
        assert plan.values.tobytes() == plans[0].values.tobytes()


def test_a_logged_trajectory_stays_exact() -> None:
    steps = np.arange(6.0)[:, None] ** 1.5
    data = da.Transitions(
        observations=steps[:-1],
        actions=np.arange(5.0)[:, None],
        rewards=np.arange(5.0),
        next_observations=steps[1:],
        terminations=[False] * 4 + [True],
    )
    plan = da.compile(data, 1, da.Identity(), candidates=1).solve(gamma=0.5, tolerance=1e-9)
    np.testing.assert_allclose(plan.values, [3.25, 4.5, 5.0, 4.0, 0.0], atol=1e-6)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**31), st.sampled_from(["change", "own"]))
def test_append_and_forget_equal_a_fresh_compile(seed: int, landing: str) -> None:
    asked = Question(m=4, k=2, landing=landing)
    first, second = random_rows(seed, 20), random_rows(seed + 1, 8)
    model = compiled(first, asked)
    longer = da.append(model, second)
    assert isinstance(longer, da.DacMdp)
    shorter = da.forget(longer, [int(longer.transitions.episode_ids[3])])
    for updated in (longer, shorter):
        assert isinstance(updated, da.DacMdp)
        fresh = compiled(updated.transitions, asked)
        for name in ("transitions", "gaps", "indices", "distances"):
            np.testing.assert_array_equal(
                getattr(updated.graph, name), getattr(fresh.graph, name), err_msg=name
            )


def test_bundles_resuming_and_releasing(tmp_path: Any) -> None:
    data, asked = random_rows(2, 120), Question(m=5, k=3)
    model = compiled(data, asked, resume_dir=tmp_path / "blocks")
    again = compiled(data, asked, resume_dir=tmp_path / "blocks")
    np.testing.assert_array_equal(model.graph.indices, again.graph.indices)
    plan = model.solve(gamma=0.9, forbidden_actions={"a0": [(None, -0.5), (0.5, None)]})
    da.save(plan, tmp_path / "plan")
    loaded = da.load(tmp_path / "plan")
    assert isinstance(loaded, da.Plan)
    np.testing.assert_array_equal(loaded.values, plan.values)
    states = np.zeros((2, 2))
    np.testing.assert_array_equal(loaded.policy().act(states), plan.policy().act(states))
    assert loaded.objective == plan.objective
    assert np.abs(plan.policy().act(states)[:, 0]).max() < 0.5


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"penalty": "adaptive"}, "penalty must be 'linear'"),
        ({"forbidden_actions": [0]}, "ranges by column"),
        ({"forbidden_actions": {"a9": (0, 1)}}, "columns in 0..1 or of a0, a1"),
        ({"forbidden_actions": {"a0": 3}}, "a range"),
        ({"forbidden_actions": {"a0": (None, None)}}, "fewer than all actions"),
        ({"forbidden_actions": lambda actions: actions}, "flags of shape"),
        ({"action_penalties": [1.0]}, "one per transition"),
        ({"action_penalties": {"a0": "dear"}}, "a finite number"),
        ({"action_mask": lambda observations: observations}, "a function of"),
        ({"action_mask": lambda seen, actions: np.zeros(len(seen), bool)}, "keeps an action"),
        ({"action_mask": np.ones((3, 3), bool)}, "flags of shape"),
        ({"action_noise": -0.1}, "action_noise must be"),
        ({"action_noise": 0.1, "worst_case": 0.1}, "0 where actions have noise"),
        ({"device": "cuda"}, "'cpu' for an objective with actions that are rows"),
    ],
)
def test_what_cannot_be_asked_gets_one_sentence(fields: dict[str, Any], sentence: str) -> None:
    model = compiled(random_rows(1, 30), Question())
    with pytest.raises(da.InputError, match=sentence):
        model.solve(**fields)


def test_doors() -> None:
    plan = compiled(random_rows(1, 30), Question()).solve()
    for other in ("nearest", "network"):
        with pytest.raises(da.InputError, match="'lookahead' where actions are rows"):
            plan.policy(lookup=other)  # type: ignore[arg-type]
    with pytest.raises(da.InputError, match="fallback must be actions of 2"):
        plan.policy(support_threshold=0.5, fallback=[1.0])
    careful = plan.policy(support_threshold=1.0, fallback=[0.25, 0.75])
    far = np.full((2, 2), 50.0)
    np.testing.assert_array_equal(careful.act(far), [[0.25, 0.75]] * 2)
    decision = careful.explain(far[0])
    assert decision.abstained
    assert decision.action == (0.25, 0.75)
    assert careful.act(np.empty((0, 2))).shape == (0, 2)
    assert len(careful.imagine(far[0], 4)) <= 4
    with pytest.raises(da.InputError, match=r"numbered actions to be thinned.*Save it whole"):
        careful.thinned()
    discrete = da.collect("CartPole-v1", steps=30, seed=0)
    for name, value in (("candidates", 5), ("landing", "own")):
        with pytest.raises(da.InputError, match=f"{name} must be None for discrete"):
            da.compile(discrete, 2, **{name: value})
    model = da.compile(discrete, 2)
    with pytest.raises(da.InputError, match="they are discrete"):
        model.solve(forbidden_actions={"0": (0, 1)})
    with pytest.raises(da.InputError, match="0 for discrete actions"):
        model.solve(action_noise=0.1)


def test_noise_leaves_the_model_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    model = compiled(random_rows(4, 200), Question(m=5, k=3))
    before = model.solve(gamma=0.9)
    shaky = model.solve(gamma=0.9, action_noise=0.2)
    assert shaky.mdp is model
    assert (shaky.values <= before.values + before.error + shaky.error).all()
    np.testing.assert_array_equal(shaky.mdp.solve(gamma=0.9).values, before.values)
    steady = model.solve(gamma=0.9, action_noise=1e-6, tolerance=1e-6)
    alike = (model.transitions.actions[:, None] == model.transitions.actions[None]).all(axis=2)
    assert alike.sum() > len(model)  # copies of an action are done for each other, at any noise
    assert steady.values.max() <= before.values.max() + before.error
    with pytest.raises(da.InputError, match="0 for the evaluation of a policy"):
        da.policy_values(model, shaky.q_values.argmax(axis=1), shaky.objective)
    monkeypatch.setattr("deepaveragers.mdp.action_noise.MOST_BYTES", 1e4)
    with pytest.raises(da.InputError, match="Compile with fewer candidates"):
        model.solve(action_noise=0.2)


def test_rows_of_whole_numbers_are_planned_too() -> None:
    plan = compiled(random_rows(3, 40, whole=True), Question()).solve()
    assert plan.policy().act(np.zeros(2)).dtype == np.int32


def test_one_step_improvement_and_the_value_of_a_policy() -> None:
    model = compiled(random_rows(3, 60), Question(m=4))
    plan = da.solve_one_step(model, gamma=0.9)
    assert plan.policy().act(np.zeros(2)).shape == (2,)
    best = model.solve(gamma=0.9, tolerance=1e-6)
    greedy = best.q_values.argmax(axis=1)
    value = da.policy_values(model, greedy, best.objective)
    np.testing.assert_allclose(value.values, best.values, atol=1e-4)


def test_units_change_no_plan() -> None:
    data = random_rows(8, 80)
    plain = da.compile(data, 3).solve()
    scaled = da.Transitions(
        observations=1024 * data.observations,
        actions=data.actions,
        rewards=8 * data.rewards,
        next_observations=1024 * data.next_observations,
        terminations=data.terminations,
    )
    other = da.compile(scaled, 3).solve()
    np.testing.assert_allclose(other.values, 8 * plain.values, rtol=1e-9)
