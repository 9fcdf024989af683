"""Every parameter of every public door refuses nonsense in one sentence that names it."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from tests.doors import DOORS
from tests.doors.nonsense import World, words

import deepaveragers as da
from deepaveragers.arguments import number, optional, whole_number


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> World:
    random = np.random.default_rng(0)
    states = random.normal(size=(25, 2))
    data = da.Transitions(
        observations=states[:-1],
        actions=random.integers(0, 2, 24),
        rewards=random.normal(size=24),
        next_observations=states[1:],
        terminations=np.arange(24) % 8 == 7,
        episode_ids=np.arange(24) // 8,
    )
    model = da.compile(data, 3)
    plan = model.solve()
    return World(data, model, plan, tmp_path_factory.mktemp("doors"))


CASES = [(door, name) for door, (_, refused) in DOORS.items() for name in refused]


@pytest.mark.parametrize(("door", "name"), CASES)
def test_nonsense_is_refused_by_name(door, name, world):
    opened, refused = DOORS[door]
    for value in refused[name]:
        with pytest.raises(da.InputError) as refusal:
            opened(world, **{name: value})
        assert name in words(refusal.value.parameter), value
        assert "received" in str(refusal.value), value


NEED_TORCH = {
    "load_encoder",
    "save_encoder",
    "solve_own_policy",
    "train_bcq",
    "train_dqn",
    "train_dynamics",
}
"""Doors of `tests/representation/test_doors.py`."""
RECORDS = {"Candidate", "TrainingSettings", "TableMapping", "FrameStacks", "Transitions"}
OTHER_NAMES = {"Objective": "solve", "Policy": "policy", "read_reported": "read"}
CHECKED_WHERE_USED = {"asked", "encoder", "columns", "fields", "source"}


def test_every_parameter_is_in_the_table():
    functions = {name for name in da.__all__ if inspect.isfunction(getattr(da, name))}
    for door in (functions | RECORDS | OTHER_NAMES.keys()) - NEED_TORCH:
        parameters = set(inspect.signature(getattr(da, door)).parameters)
        refused = set(DOORS[OTHER_NAMES.get(door, door)][1])
        assert parameters - refused <= CHECKED_WHERE_USED, door


@pytest.mark.parametrize(
    ("opened", "sentence"),
    [
        (lambda w: w.model.solve(gama=0.9), "options must be among .*Did you mean 'gamma'"),
        (lambda w: w.model.solve(tolerence=0.9), "Did you mean 'tolerance'"),
        (lambda w: w.model.solve(objectiv=None), "Did you mean 'objective'"),
        (lambda w: w.plan.policy(lokup="nearest"), "options must be among .*'lookup'"),
        (lambda w: da.read({"a": [0]}, acton="a"), "mapping must be among .*Did you mean 'action'"),
        (
            lambda w: da.TableMapping.of({1: "a", "reward": "r"}),
            "mapping must be among .*received 1",
        ),
        (lambda w: w.model.solve(mdp=w.model), "options must be among"),
    ],
)
def test_misspelled_names_are_refused(opened, sentence, world):
    with pytest.raises(da.InputError, match=sentence):
        opened(world)


def test_the_numbers_of_numpy_are_numbers(world):
    half, two = np.float32(0.5), np.uint8(2)
    mdp = da.compile(world.data, np.int64(3), time_budget=half, threads=two)
    plan = mdp.solve(
        gamma=half, cost=two, k=two, slip=half, tolerance=np.float32(1e-3), max_sweeps=two
    )
    assert type(plan.tolerance) is float
    assert type(plan.objective.gamma) is float
    assert type(plan.objective.k) is int
    assert da.load(da.save(plan, world.path / "numbers")).objective == plan.objective
    policy = plan.policy(two, epsilon=half, seed=two)
    assert policy.act(world.data.observations[0]) in (0, 1)
    assert da.guarantee(mdp.solve(), half, lipschitz=half).delta == 0.5
    chances = da.policy_values(mdp, np.zeros(24, int), tolerance=np.float32(1e-3), threads=two)
    assert chances.status == "optimal"
    assert da.solve_constrained(mdp, np.ones(24), two * two * half * 100, threads=two).solves
    assert len(da.collect("CartPole-v1", two, seed=two, side_by_side=two, epsilon=half)) == 2
    report = da.evaluate("random", "CartPole-v1", two, seed=two, epsilon=half, side_by_side=two)
    assert len(report.returns) == 2


def test_arrays_of_no_dimension_are_numbers(world):
    half, one = np.array(0.5), np.array(1)
    assert len(da.collect("CartPole-v1", np.array(9.0), epsilon=half, seed=one)) == 9
    penalised = world.model.solve(gamma=half, action_penalties={1: np.array(2.0)}, k=one)
    plain = world.model.solve(gamma=0.5, action_penalties={1: 2.0}, k=1)
    assert np.array_equal(penalised.values, plain.values)
    assert penalised.objective.unusual() == plain.objective.unusual()
    assert world.model.solve(forbidden_actions=one).objective.forbidden_actions == (1,)
    policy = da.Policy(plain, k=one, support_threshold=half, fallback=one)
    assert (policy.k, policy.support_threshold) == (1, 0.5)
    for nonsense in (np.array("a"), np.array(True), np.array(None), np.array([0.5])):
        with pytest.raises(da.InputError, match=r"^gamma must be"):
            da.Objective(gamma=nonsense)


def test_an_objective_is_taken_by_position_and_by_name(world):
    asked = da.Objective(gamma=0.5, cost=1.0)
    one, two = world.model.solve(asked), world.model.solve(objective=asked)
    assert one.objective == two.objective == asked
    assert np.array_equal(one.values, two.values)
    shown = inspect.signature(world.model.solve).parameters
    assert shown["objective"].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert "gamma" in shown
    with pytest.raises(da.InputError, match="objective must be an Objective or its fields"):
        world.model.solve(objective=asked, gamma=0.5)


class Place:
    """A path that is no `Path`."""

    def __init__(self, path):
        self.path = path

    def __fspath__(self):
        return str(self.path)


@pytest.mark.slow
def test_anything_that_is_a_path_is_one(world):
    def at(name):
        return Place(world.path / name)

    da.write(world.data, at("steps.npz"))
    assert len(da.read(at("steps.npz"))) == len(da.read(at("steps.npz"), "npz")) == 24
    (world.path / "log.csv").write_text("x,a,r\n0,0,1\n1,1,1\n2,0,1\n")
    (world.path / "log.toml").write_text("action = 'a'\nreward = 'r'")
    assert len(da.read(at("log.csv"), mapping=at("log.toml"))) == 2
    assert len(da.read(at("log.csv"), action="a", reward="r")) == 2
    da.save(world.data, at("data"))
    assert len(da.append(at("data"), at("data"))) == 48
    assert len(da.forget(at("data"), 0)) == len(da.load(at("data"))) == 40
    assert len(da.compile(world.data, 2, resume_dir=at("blocks"))) == 24
    da.write_report(da.diagnose(world.data), at("report.png"))
    world.plan.compare(world.plan).picture(at("compared.png"))


def test_none_forbids_nothing(world):
    assert da.Objective(forbidden_actions=None) == da.Objective()
    assert world.model.solve(forbidden_actions=None).converged
    one = world.model.solve(forbidden_actions={np.int64(1)})
    assert one.objective.forbidden_actions == (1,)


def test_limits_are_said_as_they_are():
    for limits, allowed in (
        ({"least": 0.0, "most": 1.0}, "a number in [0, 1]"),
        ({"above": 0.0, "below": 1.0}, "a number in (0, 1)"),
        ({"least": 0.0}, "a finite number >= 0"),
        ({"above": 0.0, "unlimited": True}, "a number > 0"),
    ):
        with pytest.raises(da.InputError) as refusal:
            number("share", -1.0, **limits)
        assert str(refusal.value) == f"share must be {allowed}; received -1.0."
    with pytest.raises(da.InputError, match=r"^steps must be a whole number >= 1, or None; rec"):
        optional(whole_number, "steps", 0)
    assert whole_number("steps", 5.0) == 5
