"""The answer of a fit: what it chooses, what it says, and that it says it honestly."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.evaluation.fitting import engine, making
from deepaveragers.evaluation.fitting.answer import figure
from deepaveragers.evaluation.fitting.choosing import (
    contenders,
)
from deepaveragers.evaluation.fitting.defaults import default_candidates
from deepaveragers.evaluation.fitting.fit import INSTALL
from deepaveragers.evaluation.fitting.heard import Heard
from deepaveragers.evaluation.fitting.intervals import Estimate, difference
from deepaveragers.evaluation.fitting.judges.simulated import Simulated
from deepaveragers.evaluation.fitting.judges.verdict import Verdict, Withheld
from deepaveragers.evaluation.fitting.judging import Judging
from deepaveragers.evaluation.fitting.kept import kept_in
from deepaveragers.evaluation.fitting.making import Maker

from .worlds import GAMMA, corridor, corridor_value, pictures_of

QUICK = {"gamma": GAMMA, "time_budget": 30.0, "show_progress": False}
"""Too little time for networks."""


@pytest.fixture(scope="module")
def log():
    return corridor(120, right=0.5, cut=10_000)


@pytest.fixture(scope="module")
def found(log):
    return da.fit(log, **QUICK)


def test_a_better_policy_is_found_and_shown(found):
    truth = corridor_value(1.0) - corridor_value(0.5)
    assert found.shown
    assert found.interval[0] <= truth <= found.interval[1]
    inner = np.arange(1.0, 12.0)[:, None]
    assert (found.policy.act(inner) == 1).mean() > 0.8
    assert "earns" in found.answer
    assert "120 held-out episodes" in found.answer


def contended(found):
    """Return how many candidates held-out judges left for simulators to compare."""
    left = contenders({place: one.estimates for place, one in enumerate(found.judged)})
    return sum(isinstance(found.judged[one].estimates["simulator"], Estimate) for one in left)


def test_every_candidate_stands_in_the_table_with_its_judges(found):
    assert any(one.candidate is found.candidate for one in found.judged)
    names = {str(one.candidate) for one in found.judged}
    assert {"always left", "always right"} <= names
    assert any(one.candidate.one_step for one in found.judged)
    assert any("imitation" in name for name in names)
    compared = [one.score for one in found.judged[: contended(found)]]
    left_out = [one.score for one in found.judged[contended(found) :]]
    assert compared == sorted(compared, reverse=True)
    assert left_out == sorted(left_out, reverse=True)
    assert "<-" in found.table
    assert str(found).startswith(found.answer)
    json.dumps(found.summary())


def test_who_watches_is_told_every_step_and_can_end_it(log):
    candidates, told = [da.Candidate(), da.Candidate(k=3)], []
    da.fit(log, candidates, **QUICK, watch=lambda done, steps: told.append((done, steps)))
    steps = told[0][1]
    assert sorted(told) == [(done, steps) for done in range(1, steps + 1)]

    def enough(done, steps):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        da.fit(log, candidates, **QUICK, watch=enough)
    with pytest.raises(da.InputError, match="watch must be a function of"):
        da.fit(log, candidates, **QUICK, watch=3)


def test_nothing_is_shown_where_behaviour_is_the_best_there_is():
    best = corridor(120, right=0.97, cut=10_000)
    found = da.fit(best, **QUICK)
    assert found.interval[0] <= corridor_value(1.0) - corridor_value(0.97)
    if not found.shown:
        assert found.answer.startswith("No candidate is shown to be better: keep what you do.")


def test_figures_are_in_units_of_reward(log, found):
    larger = da.fit(replace(log, rewards=1000.0 * log.rewards), **QUICK)
    assert larger.behaviour.value == pytest.approx(1000.0 * found.behaviour.value)
    assert larger.shown == found.shown


def test_same_seed_same_answer(log, found):
    again = da.fit(log, **QUICK)
    assert again.interval == found.interval
    assert str(again.candidate) == str(found.candidate)


def test_a_stopped_fit_goes_on(log, found, tmp_path, monkeypatch):
    first = da.fit(log, **QUICK, resume_dir=tmp_path)
    files = sorted(tmp_path.iterdir())
    assert files
    make = Maker.policies

    def only_the_chosen(maker, group):
        assert len(group) == 1
        return make(maker, group)

    monkeypatch.setattr(Maker, "policies", only_the_chosen)
    again = da.fit(log, **QUICK, resume_dir=tmp_path)
    assert again.interval == first.interval == found.interval
    states = log.observations[:50]
    assert np.array_equal(again.policy.q_values(states), found.policy.q_values(states))
    assert sorted(tmp_path.iterdir()) == files


def test_what_was_said_is_kept_to_the_bit(log, tmp_path):
    kept = kept_in(tmp_path, log, [da.Candidate()], ())
    generator = np.random.default_rng(0)
    verdict = Verdict(generator.normal(size=3), 0.1, 2.5, 0.2)
    inside = Simulated(generator.normal(size=12), generator.normal(size=12), 5, 5, 0.6, 0.1)
    kept.put(2, 0, [Heard({"simulator": verdict, "fitted_q": Withheld("so")}, (inside,), True)])
    again = kept.get(2, 0)[0]
    assert again.made
    assert again.opinions["fitted_q"] == Withheld("so")
    assert np.array_equal(again.opinions["simulator"].parts, verdict.parts)
    assert np.array_equal(again.inside[0].at_worst, inside.at_worst)
    assert again.inside[0].error == inside.error


def test_three_folds_and_an_action_that_is_hardly_logged(log):
    names = ("left", "right", "up")
    some = replace(log, action_names=names, actions=np.where(np.arange(len(log)), log.actions, 2))
    candidates = [
        da.Candidate(da.Objective(gamma=GAMMA)),
        da.Candidate(da.Objective(gamma=GAMMA, forbidden_actions=["left", "right"]), k_pi=1),
    ]
    found = da.fit(some, candidates, folds=3, **QUICK)
    assert found.candidate is candidates[0]
    assert found.interval[0] <= corridor_value(1.0) - corridor_value(0.5) <= found.interval[1]


def test_the_network_that_is_compared_is_the_one_delivered(log, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.setattr(making, "BCQ_UPDATES", (50, 50))
    trained, train = [], Maker._trained

    def counted(maker, name):
        trained.append((name, len(maker._data)))
        return train(maker, name)

    monkeypatch.setattr(Maker, "_trained", counted)
    asked = da.Objective(gamma=GAMMA, support=0.3)
    own = da.Candidate(asked, encoder="bcq", lookup="network")
    da.fit(log, [da.Candidate(asked, encoder="bcq"), own], **QUICK)
    assert len(trained) == 3
    assert trained.count(("bcq", len(log))) == 1


def test_a_simulator_that_can_say_nothing_compares_nothing(log, found, monkeypatch):
    prepare = Judging.prepare_fold

    def far_off(judging, fold, advance):
        prepare(judging, fold, advance)
        judging.panels[fold] = replace(judging.panels[fold], missed=1e6)

    monkeypatch.setattr(Judging, "prepare_fold", far_off)
    monkeypatch.setattr(engine, "by_simulators", None)
    silent = da.fit(log, **QUICK)
    assert isinstance(silent.opinions["simulator"], Withheld)
    assert silent.shown == found.shown


def test_what_is_kept_is_of_one_fit_alone(log, tmp_path):
    def digest(**asked):
        return kept_in(tmp_path, log, [da.Candidate(da.Objective(**asked))], ()).digest

    other = log.rewards.copy()
    other[len(other) // 2] += 1.0
    assert digest(rewards=log.rewards) == digest(rewards=log.rewards.copy()) != digest()
    assert digest(rewards=other) != digest(rewards=log.rewards)
    assert kept_in(tmp_path, log, [da.Candidate()], (1,)).digest != digest()
    networks = [da.RandomNetwork(seed=seed).fit(log.observations) for seed in (0, 0, 1)]
    kept = [kept_in(tmp_path, log, [da.Candidate(encoder=one)], ()) for one in networks]
    assert kept[0] == kept[1] != kept[2]
    named = [kept_in(tmp_path, log, [da.Candidate(k=k, name="mine")], ()) for k in (5, 31)]
    assert named[0] != named[1]
    moved = replace(log, next_observations=log.next_observations + 1.0)
    assert kept_in(tmp_path, moved, [da.Candidate()], ()).digest != digest()


@pytest.mark.slow
def test_judges_that_were_learnt_are_kept(log, tmp_path, monkeypatch):
    learnt = pytest.importorskip("deepaveragers.evaluation.fitting.judges.learnt")
    asked = {"gamma": GAMMA, "show_progress": False, "resume_dir": tmp_path}
    always = da.Objective(gamma=GAMMA, forbidden_actions=["left"])
    candidates = [da.Candidate(always, k_pi=1)]
    monkeypatch.setattr(learnt, "FEWEST_STEPS", 100)
    first = da.fit(log, candidates, **asked)

    def never(*given):
        raise AssertionError("learnt again")

    monkeypatch.setattr(learnt, "_train", never)
    again = da.fit(log, candidates, **asked)
    assert again.interval == first.interval
    assert again.better == first.better


WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None
import deepaveragers as da
data = da.collect("CartPole-v1", 300, seed=0, show_progress=False)
fit = da.fit(data, [da.Candidate(k_pi=1, name="plain")], gamma=0.9, show_progress=False)
print(fit)
"""


def test_without_torch_it_works_and_says_what_the_extra_adds():
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH], capture_output=True, text=True, check=True
    )
    assert INSTALL in ran.stdout
    assert "held-out" in ran.stdout or "Nothing can be said" in ran.stdout


@pytest.mark.slow
def test_with_networks_the_interval_covers_too(log):
    pytest.importorskip("torch")
    always = da.Objective(gamma=GAMMA, forbidden_actions=["left"])
    found = da.fit(log, [da.Candidate(always, k_pi=1)], gamma=GAMMA, show_progress=False)
    truth = corridor_value(1.0) - corridor_value(0.5)
    assert found.interval[0] <= truth <= found.interval[1]
    assert found.shown
    assert not found.notes


@pytest.mark.parametrize(
    "candidate",
    [
        da.Candidate(da.Objective(gamma=GAMMA, support=0.3), k_pi=7),
        da.Candidate(da.Objective(gamma=GAMMA), k=31, k_pi=13, lookup="lookahead", one_step=True),
        da.Candidate(da.Objective(gamma=GAMMA, forbidden_actions=[0]), k_pi=1),
    ],
    ids=["plan", "one step", "always"],
)
def test_a_saved_plan_acts_as_was_chosen(log, candidate, tmp_path):
    found = da.fit(log, [candidate], **QUICK)
    da.save(found.plan, tmp_path / "plan")
    again = da.load(tmp_path / "plan").policy()
    assert (again.k, again.lookup) == (found.policy.k, found.policy.lookup)
    states = log.observations[:50]
    assert np.array_equal(again.q_values(states), found.policy.q_values(states))
    assert again.explain(states[0]).action == found.policy.act(states[0])


def test_an_action_that_is_always_taken_is_told_in_true_numbers(log):
    candidates = default_candidates(log, GAMMA, networks=False)
    always = next(one for one in candidates if str(one) == "always right")
    found = da.fit(log, [always], **QUICK)
    assert found.plan.values.min() >= log.rewards.min()
    assert found.plan.values.max() <= 1.0
    decision = found.policy.explain(log.observations[0])
    assert "Q(left) not available" in str(decision)
    other = found.plan.mdp.solve(gamma=GAMMA, cost=0.0, forbidden_actions=["right"])
    compared = found.plan.compare(other)
    json.dumps(compared.summary(), allow_nan=False)
    for text in (str(compared), str(decision), repr(decision), da.report(found).html()):
        assert not re.search(r"[-+ >]inf\b|\bnan\b", text)


def test_the_sentence_and_the_table_say_the_same(found):
    low, high = found.interval
    difference = f"difference {found.better:+.4g}, between {low:+.4g} and {high:+.4g}"
    assert difference in found.answer
    assert f"{found.value:.4g} instead of {found.behaviour.value:.4g}" in found.answer
    row = next(line for line in found.table.splitlines() if line.startswith("the answer"))
    for one in found.opinions.values():
        assert isinstance(one, Withheld) or f"{one.value:+.4g} [{one.low:+.4g}" in row


def test_figures_have_the_digits_that_tell_them_apart():
    assert figure(0.12345, 1.0) == "0.1235"
    assert figure(1e6 + 0.61, 0.4, "+") == "+1000000.61"
    assert figure(-4.6e-15, 0.5) == "0"
    assert figure(209_656.0, 5e5, "+") == "+209,700"


def test_an_answer_without_evidence_says_so(found):
    silent = replace(found, opinions=dict.fromkeys(found.opinions, Withheld("of a test")))
    assert "keep what you do" in silent.answer
    assert "was taken without evidence" in silent.answer
    imitation = da.Candidate(da.Objective(support=1.0), name="imitation")
    assert "only imitates the log" in replace(found, candidate=imitation).answer
    assert "imitates" not in found.answer


def test_what_is_rounding_is_not_shown(found):
    equal = replace(found, better=1e-17, interval=(1e-18, 1e-16))
    assert not equal.shown
    larger = replace(found.behaviour, value=1e6, low=1e6 - 1.0, high=1e6 + 1.0)
    little = replace(found, behaviour=larger, better=0.6, interval=(0.3, 0.9))
    assert "earns 0%" not in little.answer
    assert "1000000.6 instead of 1000000 " in little.answer


def test_candidates_that_nobody_can_judge_are_counted(log):
    some = replace(log, action_names=("left", "right", "up"))
    never = da.Candidate(da.Objective(gamma=GAMMA, forbidden_actions=["left", "right"]), k_pi=1)
    found = da.fit(some, [da.Candidate(da.Objective(gamma=GAMMA)), never], **QUICK)
    (note,) = (one for one in found.notes if "No judge can say" in one)
    assert note.startswith(f"No judge can say anything of 1 of 2 candidates, such as '{never}': ")
    reasons = {one.reason for one in found.judged[-1].estimates.values()}
    assert any(note.endswith(f"{reason}.") for reason in reasons)


def test_candidates_begun_too_late_are_left_out(log):
    found = da.fit(log, **{**QUICK, "time_budget": 1e-9})
    assert found.judged
    several = [da.Candidate(name="one"), da.Candidate(encoder="identity", name="two")]
    found = da.fit(log, several, **{**QUICK, "time_budget": 1e-9})
    assert [str(one.candidate) for one in found.judged] == ["one"]
    assert any("lack of time" in note for note in found.notes)


def test_the_best_are_played_where_there_is_an_environment():
    data = da.collect("CartPole-v1", 800, seed=0)
    candidates = [da.Candidate(k_pi=1), da.Candidate(k_pi=11), da.Candidate(k=1, k_pi=1)]
    found = da.fit(data, candidates, 2, "CartPole-v1", episodes=3, **{**QUICK, "gamma": 0.95})
    played = [one for one in found.judged if one.online is not None]
    assert len(played) == 2
    best = max(played, key=lambda one: one.online.mean)
    assert found.candidate is best.candidate
    assert "played" in found.table


def test_a_bandit_works_end_to_end():
    generator = np.random.default_rng(0)
    states, actions = generator.normal(size=(400, 2)), generator.integers(3, size=400)
    rewards = np.where(actions == (states[:, 0] > 0), 1.0, 0.0) + 0.1 * generator.normal(size=400)
    data = da.Transitions(
        observations=states, actions=actions, rewards=rewards, next_observations=states,
        terminations=np.ones(400, bool), episode_ids=np.arange(400),
        propensities=np.full(400, 1 / 3),
    )  # fmt: skip
    found = da.fit(data, **QUICK)
    assert found.shown
    assert isinstance(found.opinions["importance"], Estimate)
    assert found.interval[0] < 2 / 3 < found.interval[1] + 0.1
    assert (found.policy.act(states) == (states[:, 0] > 0)).mean() > 0.85


def test_similar_cases_are_counted_by_hand(log, found):
    asked = log.observations[7]
    shown = {one.action: one for one in found.cases(asked, 60)}
    assert sum(one.cases for one in shown.values()) == 60
    assert sum(one.chosen for one in shown.values()) == 1
    same = np.flatnonzero((log.observations == asked).all(axis=1) & (log.actions == 1))
    few = found.cases(asked, 1)
    assert [one.cases for one in few].count(1) == 1
    everything = {one.action: one for one in found.cases(asked, len(log))}
    followed = np.array(log.rewards)
    for row in range(len(log) - 2, -1, -1):
        if log.episode_ids[row] == log.episode_ids[row + 1]:
            followed[row] += GAMMA * followed[row + 1]
    assert everything["right"].mean == pytest.approx(followed[log.actions == 1].mean())
    assert everything["right"].low < everything["right"].mean < everything["right"].high
    assert len(same) > 0
    assert "similar cases" in str(everything["right"])


def test_a_picture_is_drawn(found, tmp_path):
    assert found.picture(tmp_path / "fit.png").stat().st_size > 1_000


def test_a_difference_has_the_width_of_students_t():
    logged = np.random.default_rng(0).normal(size=50)
    parts = logged + 1.0 + np.random.default_rng(1).normal(size=50)
    found = difference([Verdict(parts, 0.0, 50.0)], [logged], 0.9)
    apart = parts - logged
    half = 1.6766 * apart.std(ddof=1) / np.sqrt(50)
    assert found.low == pytest.approx(apart.mean() - half, rel=1e-4)
    assert found.high == pytest.approx(apart.mean() + half, rel=1e-4)
    wider = difference([Verdict(parts, 0.3, 50.0)], [logged], 0.9)
    assert wider.error > found.error
    nothing = difference([Verdict(parts, 1e3, 50.0)], [logged], 0.9)
    assert isinstance(nothing, Withheld)
    assert difference([Withheld("so")], [logged], 0.9) == Withheld("so")


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"data": 3}, "data"),
        ({"gamma": 1.0}, "gamma"),
        ({"level": 0.0}, "level"),
        ({"folds": 1}, "folds"),
        ({"folds": 10_000}, "folds"),
        ({"budget": 2}, "env"),
        ({"candidates": []}, "candidates"),
        ({"time_budget": -1}, "time_budget"),
    ],
)
def test_wrong_arguments_are_refused_in_one_sentence(log, given, named):
    with pytest.raises(da.InputError) as refused:
        da.fit(**{"data": log, **given})
    assert refused.value.parameter == named


def test_pictures_are_judged_by_walks_over_logged_ones(log):
    found = da.fit(pictures_of(log), **QUICK)
    assert "judged by walks" in str(found)
    assert isinstance(found.opinions["fitted_q"], Withheld)
    assert isinstance(found.opinions["simulator"], Estimate)
    truth = corridor_value(1.0) - corridor_value(0.5)
    assert found.interval[0] <= truth <= found.interval[1]
    assert found.shown  # pictures of the same place are the same: a walk does not jump


@pytest.mark.slow
def test_of_pictures_representations_are_learnt(log, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.setattr("deepaveragers.evaluation.fitting.making.PICTURE_UPDATES", 60)
    monkeypatch.setattr("deepaveragers.evaluation.fitting.judges.walking.UPDATES", 60)
    pictures = pictures_of(log)
    found = da.fit(pictures, gamma=GAMMA, show_progress=False)
    encoders = {one.candidate.encoder for one in found.judged}
    assert encoders == {"dynamics", "outcomes"}
    assert found.policy.act(pictures.observations[:5]).shape == (5,)
