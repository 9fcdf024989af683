"""Deciding by name: the order of columns and keys changes nothing."""

from __future__ import annotations

import dataclasses
import warnings
from collections import OrderedDict

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import deepaveragers as da

NAMES = ("age", "Male", "MAP", "lactate")


@pytest.fixture(scope="module")
def policy():
    random = np.random.default_rng(0)
    states = random.normal(size=(301, 4)) * [20.0, 1.0, 15.0, 2.0] + [60.0, 0.0, 70.0, 2.0]
    data = da.Transitions(
        observations=states[:-1],
        actions=random.integers(0, 3, 300),
        rewards=random.normal(size=300),
        next_observations=states[1:],
        terminations=np.arange(300) % 10 == 9,
        action_names=("none", "low", "high"),
        observation_names=NAMES,
    )
    return da.compile(data, 3).solve(gamma=0.9).policy(k=3)


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(1)
    return random.normal(size=(40, 4)) * [20.0, 1.0, 15.0, 2.0] + [60.0, 0.0, 70.0, 2.0]


def mapping(row, order):
    return {NAMES[place]: float(row[place]) for place in order}


def tables(rows, order):
    """Yield the same rows as every kind of table, with their columns in the given order."""
    columns = {NAMES[place]: rows[:, place].copy() for place in order}
    yield columns
    yield np.rec.fromarrays(list(columns.values()), names=list(columns))
    for library, make in (
        ("pandas", lambda module: module.DataFrame(columns)),
        ("polars", lambda module: module.DataFrame(columns)),
        ("polars", lambda module: module.DataFrame(columns).lazy()),
        ("pyarrow", lambda module: module.table(columns)),
        ("pyarrow", lambda module: module.RecordBatch.from_pydict(columns)),
    ):
        yield make(pytest.importorskip(library))


@given(order=st.permutations(range(4)), row=st.integers(0, 39))
@settings(max_examples=60, deadline=None)
def test_shuffled_mappings_decide_alike(policy, rows, order, row):
    asked = mapping(rows[row], order)
    action = policy.act(rows[row])
    assert type(policy.act(asked)) is int
    assert policy.act(asked) == policy.act(OrderedDict(asked)) == action
    assert np.array_equal(policy.q_values(asked), policy.q_values(rows[row]))
    assert np.array_equal(policy.support(asked), policy.support(rows[row]))
    assert policy.explain(asked) == policy.explain(rows[row])
    assert policy.imagine(asked, 3) == policy.imagine(rows[row], 3)
    assert policy.predict(asked)[0] == action


@given(order=st.permutations(range(4)))
@settings(max_examples=24, deadline=None)
def test_shuffled_tables_decide_alike(policy, rows, order):
    expected, q_values = policy.act(rows), policy.q_values(rows)
    assert np.array_equal(policy.act([mapping(row, order) for row in rows]), expected)
    for table in tables(rows, order):
        assert np.array_equal(policy.act(table), expected), type(table)
        assert np.array_equal(policy.q_values(table), q_values), type(table)
        assert np.array_equal(policy.support(table), policy.support(rows)), type(table)


def test_a_row_of_a_frame_is_one_observation(policy, rows):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(rows[:, ::-1], columns=NAMES[::-1])
    assert policy.act(frame.iloc[3]) == policy.act(rows[3])
    assert policy.act(frame.iloc[3:4]).tolist() == [policy.act(rows[3])]


def test_an_unnamed_array_keeps_the_order_of_the_data(policy, rows):
    assert policy.act(rows[0].tolist()) == policy.act(rows[0])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"MAP": None}, r"finite numbers; received 1 NaN.*row 0, column 'MAP'"),
        ({"MAP": "low"}, r"observation\['MAP'\] must be a number; received 'low'"),
        ({"MAP": [1.0, 2.0]}, r"observation must be of parts of equal length"),
        ({"MAP": float("inf")}, r"column 'MAP'"),
        ({"MAP": {"value": 3}}, r"none named 'MAP'"),
    ],
)
def test_values_that_are_none_are_refused_by_name(policy, rows, change, sentence):
    with pytest.raises(da.InputError, match=sentence):
        policy.act({**mapping(rows[0], range(4)), **change})


def test_a_missing_column_is_one_sentence(policy, rows):
    asked = mapping(rows[0], range(4))
    asked["Map"] = asked.pop("MAP")
    with pytest.raises(da.InputError) as refusal:
        policy.act(asked)
    assert str(refusal.value) == (
        "observation must be given with the columns of the data, 'age', 'Male', 'MAP', 'lactate'; "
        "received none named 'MAP'. 'Map' looks like 'MAP'."
    )
    full = mapping(rows[0], range(4))
    with pytest.raises(da.InputError, match="rows that all have 'age'; received none in row 1"):
        policy.act([full, dict.fromkeys(NAMES[1:], 1.0)])


def test_extra_columns_are_ignored_and_mentioned_once(policy, rows):
    fresh = policy.plan.policy(k=3)
    asked = {**mapping(rows[0], range(4)), "ward": "B", "note": None}
    with pytest.warns(da.DataWarning, match="no column 'ward', 'note': .* ignored"):
        assert fresh.act(asked) == policy.act(rows[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fresh.act(asked)


def test_data_without_names_say_so(plan):
    with pytest.raises(da.InputError, match="whose columns have no names"):
        plan.policy().act([{"a": 1.0}])


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.binary(max_size=3),
    st.lists(st.floats(allow_nan=False), max_size=3),
    st.dictionaries(st.sampled_from(["MAP", "x"]), st.floats(), max_size=2),
    st.tuples(st.floats(), st.text(max_size=2)),
)
NAMED = st.dictionaries(st.sampled_from([*NAMES, "ward", "age[0]", "MAP=missing"]), VALUES)


ANYTHING = st.one_of(
    NAMED,
    VALUES,
    st.lists(NAMED, max_size=3),
    st.tuples(NAMED, VALUES),
    st.lists(VALUES, max_size=5),
)
OTHER_NAMES = {
    "none": None,
    "categories": ("age=F", "age=M", "MAP", "MAP=missing"),
    "parts": ("age[0]", "age[1]", "MAP[0]=1", "MAP[0]=2"),
}


@pytest.fixture(scope="module", params=["plain", *OTHER_NAMES])
def any_policy(request, policy):
    if request.param == "plain":
        return policy
    data = dataclasses.replace(
        policy.plan.mdp.transitions, observation_names=OTHER_NAMES[request.param]
    )
    return da.compile(data, 3).solve(gamma=0.9).policy(k=3)


@pytest.mark.slow
@given(given_values=ANYTHING)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.differing_executors])
@pytest.mark.filterwarnings("ignore::deepaveragers.DataWarning")
def test_whatever_is_asked_about_is_answered_or_refused(any_policy, given_values):
    sentence, actions = "", []
    try:
        actions = any_policy.act(given_values)
    except da.InputError as refusal:
        sentence = str(refusal)
    assert np.isin(actions, [0, 1, 2]).all()
    assert not sentence or ("must be" in sentence and len(sentence) < 500)


def one_hot(categories):
    random = np.random.default_rng(2)
    chosen = random.integers(0, len(categories), 101)
    lactate = random.normal(size=101)
    lost = random.random(101) < 0.2
    lactate[lost] = lactate[~lost].mean()
    states = np.column_stack([lactate, lost, chosen[:, None] == np.arange(len(categories))])
    return da.Transitions(
        observations=states[:-1],
        actions=random.integers(0, 2, 100),
        rewards=random.normal(size=100),
        next_observations=states[1:],
        terminations=np.arange(100) % 10 == 9,
        observation_names=("lactate", "lactate=missing", *(f"sex={one}" for one in categories)),
    )


def test_categories_are_given_as_they_are_logged():
    data = one_hot(["F", "M", "3"])
    policy = da.compile(data, 2).solve().policy(k=2)
    for sex, columns in (("F", [1, 0, 0]), ("M", [0, 1, 0]), (3, [0, 0, 1]), (3.0, [0, 0, 1])):
        spread = [0.5, 0.0, *columns]
        asked = {"sex": sex, "lactate": 0.5}
        assert np.array_equal(policy.q_values(asked), policy.q_values(spread))
    with pytest.raises(
        da.InputError, match=r"\['sex'\] must be one of 'F', 'M', '3'; received 'f'"
    ):
        policy.act({"sex": "f", "lactate": 0.5})
    lost = [data.observations[:, 0].mean(dtype=np.float64), 1.0, 1, 0, 0]
    for nothing in (None, float("nan")):
        unknown = policy.q_values({"sex": "F", "lactate": nothing})
        assert np.allclose(unknown, policy.q_values(lost))


class Rooms(gym.Env):
    """A Dict space with every kind of part."""

    observation_space = gym.spaces.Dict(
        {
            "z": gym.spaces.Box(-1, 1, (2,)),
            "goal": gym.spaces.Discrete(3, start=1),
            "inner": gym.spaces.Dict({"b": gym.spaces.Box(-1, 1, (1,))}),
            "keys": gym.spaces.MultiDiscrete([2, 3]),
            "pair": gym.spaces.Tuple((gym.spaces.Box(-1, 1, (2,)), gym.spaces.Discrete(2))),
            "a": gym.spaces.Box(-1, 1, (2, 2)),
        }
    )
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.observation_space.seed(seed)
        self.steps = 0
        return self.observation_space.sample(), {}

    def step(self, action):
        self.steps += 1
        return self.observation_space.sample(), float(action), self.steps == 5, False, {}


def test_dictionaries_of_gymnasium_spaces_keep_working():
    data = da.collect(Rooms, steps=60, seed=0)
    names = data.observation_names
    assert names[:4] == ("a[0]", "a[1]", "a[2]", "a[3]")
    assert {"goal=1", "goal=3", "inner.b", "keys[1]=2", "pair[0][1]", "pair[1]=0"} < set(names)
    policy = da.compile(data, 2).solve().policy(k=2)
    space = Rooms.observation_space
    space.seed(3)
    samples = [space.sample() for _ in range(20)]
    flat = np.stack([gym.spaces.utils.flatten(space, one) for one in samples]).astype(np.float32)
    expected = policy.act(flat)
    for sample, row, action in zip(samples, flat, expected, strict=True):
        shuffled = dict(reversed(sample.items()))
        assert policy.act(shuffled) == policy.act(sample) == action
        assert np.array_equal(policy.q_values(sample), policy.q_values(row))
    assert np.array_equal(policy.act(samples), expected)
