"""Which candidate is taken: what is clearly worse, what is told apart, who wins among equals."""

from __future__ import annotations

import math

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.evaluation.fitting.choosing import (
    AGREE_ALIKE,
    alike_by,
    by_judges,
    by_simulators,
    chosen_of,
    contenders,
)
from deepaveragers.evaluation.fitting.intervals import Estimate
from deepaveragers.evaluation.fitting.judges.simulated import Simulated
from deepaveragers.evaluation.fitting.judges.verdict import Withheld


def judged(value, error=1.0, **others):
    """Return what judges say: the simulator, and others by value and error."""
    said = {"simulator": (value, error), **others}
    return {name: Estimate(v, v - e, v + e, 50.0) for name, (v, e) in said.items()}


def test_of_those_not_told_apart_the_cautious_one_is_taken():
    supported = da.Candidate(da.Objective(support=0.3))
    imitation = da.Candidate(da.Objective(support=1.0))
    candidates = [da.Candidate(), supported, imitation, supported]
    none = dict.fromkeys(range(4), 0.5)
    close = {0: judged(5.0), 1: judged(4.9), 2: judged(4.95), 3: judged(4.2)}
    assert chosen_of(candidates, by_judges(close), none) == 1
    assert chosen_of(candidates, by_judges(close), {**none, 3: 0.6}) == 3
    smoother = [*candidates[:3], da.Candidate(da.Objective(support=0.3), k_pi=31)]
    assert chosen_of(smoother, by_judges(close), none) == 3
    assert chosen_of(candidates, by_judges({0: judged(5.0), 1: judged(3.9)}), none) == 0
    silent = {"simulator": Withheld("of a test")}
    assert chosen_of(candidates, by_judges({0: silent, 1: judged(-3.0)}), none) == 1
    assert chosen_of(candidates, by_judges({0: silent, 1: silent}), none) == 0


def test_agreement_with_random_actions_decides_nothing():
    supported = da.Candidate(da.Objective(support=0.3))
    ranking = by_judges({0: judged(5.0), 1: judged(4.9)})
    taken = {0: 0.50, 1: 0.53}
    by_chance = alike_by(taken, 0.5, rows=False)
    assert chosen_of([supported, supported], ranking, taken, by_chance) == 0
    by_habit = alike_by({0: 0.70, 1: 0.73}, 0.5, rows=False)
    assert by_habit == AGREE_ALIKE
    assert chosen_of([supported, supported], ranking, taken, by_habit) == 1
    assert alike_by({0: 1.0}, 1.0, rows=False) == math.inf  # one action only


def test_of_plans_with_support_the_network_acts_by_itself_unless_actions_were_random():
    plan = da.Candidate(da.Objective(support=0.3), k_pi=31)
    own = da.Candidate(da.Objective(support=0.3), k_pi=31, encoder="bcq", lookup="network")
    ranking = by_judges({0: judged(5.0), 1: judged(4.9)})
    taken = {0: 0.73, 1: 0.70}
    assert chosen_of([plan, own], ranking, taken, AGREE_ALIKE) == 1
    assert chosen_of([plan, own], ranking, taken, AGREE_ALIKE, 0.5) == 1
    assert chosen_of([plan, own], ranking, {0: 0.73, 1: 0.52}, AGREE_ALIKE, 0.5) == 0
    assert chosen_of([plan, own], ranking, taken, math.inf) == 0
    apart = by_judges({0: judged(5.0), 1: judged(3.9)})
    assert chosen_of([plan, own], apart, taken, AGREE_ALIKE) == 0


def test_a_hopeful_judge_does_not_decide_for_those_that_the_other_is_unsure_of():
    said = {
        0: judged(10.0, fitted_q=(20.0, 1.0)),
        1: judged(5.0, 2.0, fitted_q=(21.0, 1.0)),
        2: judged(9.0, fitted_q=(20.0, 1.0)),
    }
    assert by_judges(said).scores == pytest.approx({0: 15.0, 1: 13.0, 2: 14.5})


def test_judges_leave_out_what_is_clearly_worse_only():
    said = {0: judged(5.0), 1: judged(3.4), 2: judged(3.6), 3: judged(-9.0, 15.0)}
    assert contenders(said) == [0, 2, 3]
    silent = {"simulator": Withheld("of a test")}
    assert contenders({0: silent, 1: judged(1.0)}) == [1]
    assert contenders({0: silent, 1: silent}) == [0, 1]


def simulated(returns, at_worst=None):
    at_worst = returns if at_worst is None else at_worst
    return (Simulated(returns, at_worst, members=5, draws=5, draw_variance=1.0),)


def test_simulators_tell_candidates_apart_in_pairs():
    generator = np.random.default_rng(0)
    shared = generator.normal(0.0, 10.0, 60)  # starts and luck, the same for all
    better = shared + generator.normal(1.0, 0.5, 60)
    doubtful = better - np.where(np.arange(60) < 6, 30.0, 0.0)
    ranking = by_simulators(
        {0: simulated(shared), 1: simulated(better), 2: simulated(better + 1.0, doubtful)}, [0.0]
    )
    assert ranking.best == 1
    assert ranking.alike == [1]
    noisy = simulated(generator.normal(shared.mean() + 1.0, 10.0, 60))
    assert by_simulators({0: simulated(shared), 1: noisy}, [0.0]).alike == [0, 1]
    unlucky = np.where(np.arange(60) == 7, -1.0, 1.0)  # one episode of 60 leaves the log
    rare = by_simulators({0: simulated(shared), 1: simulated(shared, shared + 9 * unlucky)}, [0.0])
    assert rare.alike == [0, 1]
