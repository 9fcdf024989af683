"""Judges against exact values, and against what they must refuse to say."""

from __future__ import annotations

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.evaluation.fitting.folds import as_log, folds, in_blocks
from deepaveragers.evaluation.fitting.judges.behaviour import behaviour_parts
from deepaveragers.evaluation.fitting.judges.fitted_q import FittedQ
from deepaveragers.evaluation.fitting.judges.importance import Importance
from deepaveragers.evaluation.fitting.judges.local import LocalSimulator
from deepaveragers.evaluation.fitting.judges.panel import make_panel
from deepaveragers.evaluation.fitting.judges.scales import RewardScale, scales_of
from deepaveragers.evaluation.fitting.judges.verdict import Withheld, effective_number

from .worlds import (
    GAMMA,
    Always,
    corridor,
    corridor_value,
    illness,
    illness_value,
    season,
    season_value,
)


def states_of(log):
    return log.data.observations, log.data.next_observations


def fitted_q(log, seed=0):
    here, there = states_of(log)
    return FittedQ(log, here, there, here[log.first], seed)


def error(verdict):
    return float(np.hypot(verdict.parts.std() / np.sqrt(len(verdict.parts)), verdict.spread))


@pytest.mark.parametrize("right", [0.5, 0.7])
def test_behaviour_is_worth_its_returns_gone_on_where_cut(right):
    log = as_log(corridor(600, right=right, cut=10), GAMMA)
    parts = behaviour_parts(log, fitted_q(log).basis, *states_of(log))
    assert abs(parts.mean() - corridor_value(right)) < 4 * parts.std() / np.sqrt(len(parts))
    whole = as_log(corridor(50, cut=10_000), GAMMA)
    same = behaviour_parts(whole, fitted_q(whole).basis, *states_of(whole))
    assert np.array_equal(same, whole.discounted())


@pytest.mark.parametrize("action", [0, 1])
def test_fitted_q_and_importance_find_the_exact_value_within_their_error(action):
    log = as_log(corridor(600, cut=10_000), GAMMA)
    truth = corridor_value(float(action))
    found = fitted_q(log).judge(Always(action))
    assert abs(found.value - truth) < 4 * error(found)
    assert error(found) < 0.1
    weighted = Importance(log, log.data.observations, log.data.propensities)
    said = weighted.judge(Always(action))
    assert isinstance(said, Withheld) or abs(said.value - truth) < 4 * error(said) + 0.001


def test_importance_of_one_step_is_the_textbook_ratio():
    generator = np.random.default_rng(0)
    states, actions = generator.normal(size=(500, 2)), generator.integers(2, size=500)
    chances = np.where(actions == 1, 0.3, 0.7)
    rewards = generator.normal(size=500) + actions
    data = da.Transitions(
        observations=states, actions=actions, rewards=rewards, next_observations=states,
        terminations=np.ones(500, bool), episode_ids=np.arange(500),
    )  # fmt: skip
    found = Importance(as_log(data, GAMMA), states, chances).judge(Always(1))
    taken = actions == 1
    assert found.value == pytest.approx(rewards[taken].mean())
    assert found.effective == pytest.approx(taken.sum())
    usual = rewards[taken].std() / np.sqrt(taken.sum())
    assert error(found) == pytest.approx(usual, rel=0.05)


def test_importance_is_withheld_where_hardly_an_episode_agrees():
    log = as_log(corridor(60, cut=10_000), 0.99)
    found = Importance(log, log.data.observations, log.data.propensities).judge(Always(0))
    assert isinstance(found, Withheld)
    assert "held-out" in found.reason


def test_fitted_q_is_withheld_for_an_action_that_was_never_taken():
    data = corridor(60)
    only = data.subset(data.actions == 0)
    found = fitted_q(as_log(only, GAMMA)).judge(Always(1))
    assert isinstance(found, Withheld)
    assert "never take right" in found.reason


@pytest.mark.parametrize("learn", [False, True])
def test_a_simulator_finds_the_value_and_says_how_sure_it_is(learn):
    if learn:
        pytest.importorskip("torch")
    log = as_log(corridor(300, cut=10_000), GAMMA)
    panel = make_panel(log, seed=0, learn=learn, advance=lambda count: None)
    found = panel.opinions([Always(1), Always(0)])
    for opinions, right in zip(found, (1.0, 0.0)):
        said = opinions["simulator"]
        assert abs(said.value - corridor_value(right)) < max(4 * said.spread, 0.05)


@pytest.mark.slow
def test_a_learnt_simulator_knows_what_is_paid_at_the_end_and_by_chance():
    pytest.importorskip("torch")
    log = as_log(season(), 0.97)
    panel = make_panel(log, seed=0, learn=True, advance=lambda count: None)
    found = panel.opinions([Always(1), Always(0)])
    apart = season_value(1, gamma=0.97) - season_value(0, gamma=0.97)
    for opinions, action in zip(found, (1, 0)):
        said = opinions["simulator"]
        assert abs(said.value - season_value(action, gamma=0.97)) < 0.15 * apart
        assert said.spread < 0.15 * apart


@pytest.mark.slow
def test_a_learnt_simulator_knows_what_happens_rarely():
    pytest.importorskip("torch")
    log = as_log(illness(), 0.95)
    panel = make_panel(log, seed=0, learn=True, advance=lambda count: None)
    said, truth = panel.opinions([Always(1)])[0]["simulator"], illness_value(gamma=0.95)
    assert abs(said.value - truth) < -0.35 * truth


def test_states_of_a_simulator_are_ones_that_the_log_could_have():
    data = season(20)
    here, there = data.observations, data.next_observations
    scales = scales_of(here, there, data.rewards, data.terminations)
    far = np.random.default_rng(0).normal(0.0, 3.0, size=(500, 3))
    raw = scales.raw(scales.inside(far))
    assert set(raw[:, 2]) == {0.0, 1.0}
    assert set(raw[:, 0]) <= {*here[:, 0], *there[:, 0]}
    both = np.concatenate((here, there))
    assert (raw >= both.min(axis=0) - 1e-12).all()
    assert (raw <= both.max(axis=0) + 1e-12).all()
    assert len(np.unique(raw[:, 1])) > 100  # not a column of few values
    assert scales.flags.tolist() == [False, False, True]
    sexes = np.where(np.arange(len(here)) < 400, 0.0, 1.0)
    with_sex = (np.column_stack((part, sexes)) for part in (here, there))
    fixed = scales_of(*with_sex, data.rewards, data.terminations)
    assert fixed.flags.tolist() == [False, False, True, False]
    luck = np.random.default_rng(1).random((3, len(here), 4))
    states = fixed.standardised(np.column_stack((here, sexes)))
    after = fixed.raw(fixed.inside(fixed.moved(states, *luck)))
    assert np.array_equal(after[:, 3], sexes)
    assert np.allclose(after[:, 0], there[:, 0])
    inner = both[:50]
    assert np.allclose(scales.raw(scales.inside(scales.standardised(inner))), inner)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_clocks_are_known_in_tables_whose_last_rows_repeat_the_state(dtype):
    data = season(20)
    here, there = data.observations.astype(dtype), data.next_observations.astype(dtype)
    there[data.terminations] = here[data.terminations]
    same = 4.0 * float(np.finfo(dtype).eps)
    found = scales_of(
        here.astype(float), there.astype(float), data.rewards, data.terminations, same
    )
    assert found.change_mean[0] == pytest.approx(1.0 / 40.0, rel=1e-4)
    assert found.change_deviation[0] == 0.0
    assert found.change_deviation[1] > 0.01


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_states_are_terminal_beyond_a_limit_where_all_had_ended(sign):
    """And nowhere else: not where some went on, nor where it may be chance."""
    went_on = np.array([[0.0, 5.0], [1.0, -5.0], [2.0, 0.0], [1.0, 1.0]])
    ended = np.array([[4.0, 1.0], [5.0, 6.0], [6.0, 2.0]])
    here, there = (sign * np.repeat(part, 20, axis=0) for part in (went_on, went_on[::-1]))
    ends = np.zeros(len(here), bool)
    ends[:3], there[:3] = True, sign * ended

    def scales(rows=slice(None), after=there):
        return scales_of(here[rows], after[rows], np.ones(len(here[rows])), ends[rows])

    def terminal(*state):
        found = scales()
        return bool(found.terminal(found.standardised(sign * np.array([state])))[0])

    assert not terminal(2.9, 0.0)
    assert terminal(3.1, 0.0)  # half-way from 2, from where one went on, to 4
    assert not terminal(-9.0, 0.0)
    assert not terminal(0.0, 5.9)  # one alone ended above 5
    for none in (
        scales(slice(0, 12)),  # a quarter of them ended: that three did is chance
        scales(slice(1, None)),  # two are few
        scales(after=np.where(ends[:, None], here, there)),  # as in tables
    ):
        assert np.isinf([none.terminal_low, none.terminal_high]).all()


def test_walks_that_end_anywhere_have_no_limit():
    """The last state is the far end of a walk, and often the outermost of all."""
    generator, found = np.random.default_rng(0), 0
    for _ in range(50):
        walks = [np.cumsum(generator.normal(size=(20, 2)), axis=0) for _ in range(30)]
        here, there = (
            np.concatenate([walk[part] for walk in walks])
            for part in (slice(None, -1), slice(1, None))
        )
        ends = np.tile(np.arange(19) == 18, 30)
        scales = scales_of(here, there, np.ones(len(here)), ends)
        found += np.isfinite([scales.terminal_low, scales.terminal_high]).any()
    assert found <= 1


def pole(count, seed):
    """Return random episodes of a rod that falls: its angle, its speed, and a column like both."""
    generator, rows = np.random.default_rng(seed), []
    for episode in range(count):
        angle, speed, place = generator.normal(0.0, 0.05, 3)
        while abs(angle) < 0.3:
            push = int(generator.integers(2))
            faster = speed + 0.1 * angle + (0.06 if push else -0.06)
            after = (angle + 0.1 * speed, faster, place + 0.05 * speed)
            rows.append((episode, push, (angle, speed, place), after, abs(after[0]) >= 0.3))
            angle, speed, place = after
    episodes, actions, here, there, ends = (np.array(column) for column in zip(*rows, strict=True))
    return da.Transitions(
        observations=here, actions=actions, rewards=np.ones(len(here)), next_observations=there,
        terminations=ends, episode_ids=episodes,
    )  # fmt: skip


def test_a_simulator_of_a_small_log_follows_lines_and_ends_where_the_log_did():
    """Also where columns do not go together as in the log, and beyond the log's third column."""
    data = pole(12, seed=0)
    simulator = LocalSimulator(as_log(data, GAMMA), 0)
    beyond = float(data.next_observations[:, 2].max()) + 0.05
    states = np.array([[0.1, 0.2, -0.1], [0.1, 0.2, beyond], [0.29, 0.5, 0.0]])
    luck = np.tile([0.5, 0.5, 0.5, 0.5, 0.999], (3, 1))
    pushed, first = np.ones(3, np.int64), np.zeros(3, np.int64)
    said = simulator.step(simulator.states(states), pushed, first, luck)
    after = simulator.observations(said.states)
    assert np.allclose(after[:2, :2], [0.12, 0.27], atol=0.002)
    assert said.believed[:2].tolist() == [True, False]
    assert said.ended.tolist() == [False, False, True]


def test_rewards_of_a_simulator_stay_within_those_of_their_kind():
    rewards = np.array([-1.0, 0.0, 3.0])
    scale = RewardScale.of(rewards)
    assert np.allclose(scale.restored(scale.standardised(rewards)), rewards)
    assert np.array_equal(scale.restored(np.array([-50.0, 50.0])), [-1.0, 3.0])
    assert np.array_equal(RewardScale.of(np.empty(0)).restored(rewards), np.zeros(3))
    assert np.array_equal(RewardScale.of(np.full(4, 7.0)).restored(rewards), np.full(3, 7.0))


def test_effective_number():
    assert effective_number(np.ones(7)) == pytest.approx(7.0)
    assert effective_number(np.array([1.0, 0.0, 0.0])) == pytest.approx(1.0)
    assert effective_number(np.zeros(3)) == 0.0


def test_folds_are_whole_episodes_and_cover_the_log():
    data = corridor(40)
    parts = folds(data, 3, seed=1)
    assert sorted(np.concatenate([part.judged_on for part in parts])) == list(range(len(data)))
    for part in parts:
        assert not set(data.episode_ids[part.made_from]) & set(data.episode_ids[part.judged_on])
        assert len(part.made_from) + len(part.judged_on) == len(data)


def test_one_long_series_is_cut_into_blocks_of_time():
    walk = np.cumsum(np.random.default_rng(0).normal(size=(401, 1)), axis=0)
    data = da.Transitions(
        observations=walk[:-1], actions=np.arange(400) % 2, rewards=np.ones(400),
        next_observations=walk[1:], terminations=np.zeros(400, bool),
    )  # fmt: skip
    cut, was_cut = in_blocks(data)
    assert was_cut
    assert cut.num_episodes == 40
    assert cut.truncations.sum() == 39
    enough = corridor(40)
    assert in_blocks(enough) == (enough, False)


def test_importance_uses_propensities_where_there_are_any():
    log = as_log(corridor(300, right=0.8, cut=10_000), 0.5)
    unknown = np.where(np.arange(len(log.data)) % 2, np.nan, log.data.propensities)
    for given in (None, unknown, log.data.propensities):
        found = Importance(log, log.data.observations, given).judge(Always(1))
        assert abs(found.value - corridor_value(1.0, gamma=0.5)) < 4 * error(found) + 0.01


def test_the_plain_simulator_keeps_to_steps_and_rewards_that_were_seen_nearby():
    generator = np.random.default_rng(0)
    states = generator.uniform(0.0, 1.0, size=(400, 1))
    place = states[:, 0]
    rewards = np.where(place > 0.9, -1.0, np.where(place < 0.3, 5.0, 0.1))  # 5 is far from the step
    data = da.Transitions(
        observations=states, actions=np.zeros(400, int), rewards=rewards,
        next_observations=states + 0.01, terminations=np.zeros(400, bool),
        episode_ids=np.arange(400), action_names=("a", "b"),
    )  # fmt: skip
    simulator = LocalSimulator(as_log(data, GAMMA), seed=0)
    asked = simulator.states(np.linspace(0.6, 1.0, 200)[:, None])
    nothing = np.zeros(200, np.int64)
    after, earned, *_ = simulator.step(asked, nothing, nothing, generator.random((200, 3)))
    moved = simulator.observations(after) - simulator.observations(asked)
    assert earned.min() >= -1.0
    assert earned.max() <= 0.1
    reached = simulator.observations(after)
    inside = reached < data.next_observations.max() - 1e-9
    assert np.allclose(moved[inside], 0.01)
    assert inside.mean() > 0.9
    assert reached.max() <= data.next_observations.max() + 1e-9
