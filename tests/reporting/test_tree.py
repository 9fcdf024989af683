from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from deepaveragers.reporting.tree import fidelity, grow, in_words, shortest_between

numbers = st.floats(-1e6, 1e6, allow_subnormal=False) | st.integers(0, 1).map(float)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), size=st.integers(1, 60), width=st.integers(0, 3))
def test_fidelity_is_a_count_of_states_by_the_shown_conditions(data, size, width):
    columns = data.draw(arrays(np.float64, (size, width), elements=numbers))
    actions = data.draw(arrays(np.int64, size, elements=st.integers(0, 3)))
    rules = grow(columns, actions)
    told = 0
    for state, action in zip(columns, actions, strict=True):
        meant = [
            rule
            for rule in rules
            if all(one.above < state[one.column] <= one.most for one in rule.conditions)
        ]
        assert len(meant) == 1
        told += meant[0].action == action
    assert fidelity(rules, actions) == told / size
    assert told >= np.bincount(actions).max()
    assert len(rules) <= 8
    for rule in rules:
        np.testing.assert_array_equal(np.flatnonzero(rule.holds(columns)), rule.states)


def test_a_tree_of_three_questions_is_found_again():
    columns = np.random.default_rng(0).uniform(size=(2_000, 4))
    actions = np.where(columns[:, 2] > 0.3, np.where(columns[:, 0] > 0.6, 2, 1), 0)
    rules = grow(columns, actions)
    assert fidelity(rules, actions) > 0.98
    assert {one.column for rule in rules for one in rule.conditions} == {0, 2}


def test_a_plan_that_always_does_the_same_needs_no_question():
    (rule,) = grow(np.arange(10.0)[:, None], np.full(10, 3))
    assert (rule.conditions, rule.action) == ((), 3)
    assert in_words(rule, ("x",), np.arange(10.0)[:, None]) == "everywhere"


def test_yes_and_no_columns_are_said_so():
    columns = np.column_stack((np.arange(40) % 2, np.zeros(40)))
    rules = grow(columns.astype(float), np.arange(40) % 2)
    told = [in_words(rule, ("sex=F", "other"), columns) for rule in rules]
    assert told == ["sex is not F", "sex is F"]
    told = [in_words(rule, ("ventilated", "other"), columns) for rule in rules]
    assert told == ["ventilated: no", "ventilated: yes"]


@given(numbers, numbers)
def test_a_threshold_lies_between_two_values(one, other):
    low, high = sorted((one, other))
    if low < high:
        assert low <= shortest_between(low, high) < high


def test_thresholds_are_short():
    assert shortest_between(59.0, 61.0) == 60.0
    assert shortest_between(1_700_000_001.0, 1_700_000_002.0) == 1_700_000_001.0 + 0.5
