"""The Open Bandit sample, imported as shipped; the other policy's click rate, estimated."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from tests.data.open_bandit import ITEMS, POSITIONS, true_rate, write_log

import deepaveragers as da
from deepaveragers.cli import main

COLUMNS = {
    "time": "timestamp",
    "action": "item_id",
    "reward": "click",
    "propensity": "propensity_score",
    "categorical": "position",
    "each_row_ends": True,
}
UNIFORM = np.full((POSITIONS, ITEMS), 1.0 / ITEMS)


def favoured():
    """Return chances of a policy that has its favourites, others at each position."""
    weights = np.exp(np.random.default_rng(7).normal(size=(POSITIONS, ITEMS)))
    return weights / weights.sum(axis=1, keepdims=True)


def test_as_shipped(tmp_path, capsys):
    write_log(tmp_path / "log.csv", favoured(), rows=500)
    with pytest.raises(SystemExit) as left:
        main(["import", str(tmp_path / "log.csv"), "--json"])
    assert left.value.code == 0
    guess = json.loads(capsys.readouterr().out)["guess"]
    assert guess == {name: value for name, value in COLUMNS.items() if name != "categorical"}
    data = da.read(tmp_path / "log.csv", **COLUMNS)
    assert len(data) == data.num_episodes == 500
    assert data.terminations.all()
    assert data.num_actions == ITEMS
    assert data.times.dtype == "datetime64[us]"
    names = data.observation_names
    assert names[:3] == ("position=1", "position=2", "position=3")
    assert sum(name.startswith("user_feature_2=") for name in names) == 4
    assert sum(name.startswith("user-item_affinity_") for name in names) == ITEMS
    assert ((data.propensities > 0) & (data.propensities <= 1)).all()


@pytest.mark.slow
def test_the_other_policy_is_estimated(tmp_path):
    """From either log the other policy: 95 % intervals cover its true click rate."""
    own, covered, logs = favoured(), [], 6
    for seed in range(logs):
        path = tmp_path / "log.csv"
        for logged, other in ((own, UNIFORM), (UNIFORM, own)):
            write_log(path, logged, rows=2000, seed=seed)
            data = da.read(path, **COLUMNS)
            places = np.argmax(data.observations[:, :POSITIONS], axis=1)
            found = da.importance_value(data, other[places])
            error = abs(found.value - true_rate(other))
            covered.append(found.low <= true_rate(other) <= found.high)
            assert error < 2 * (found.high - found.low)
    # Binomial(12, 0.95) is below 10 once in 50 draws; these draws are always the same.
    assert sum(covered) >= 10


@pytest.mark.skipif("OPEN_BANDIT" not in os.environ, reason="OPEN_BANDIT=.../obp/dataset/obd")
@pytest.mark.parametrize("campaign", ["men", "women", "all"])
def test_the_real_sample(campaign):
    """Of the sdist of obp 0.5.7: pip download --no-deps --no-binary :all: obp==0.5.7."""
    home = Path(os.environ["OPEN_BANDIT"])
    learnt, uniform = (
        da.read(home / policy / campaign / f"{campaign}.csv", **COLUMNS)
        for policy in ("bts", "random")
    )
    assert len(learnt) == len(uniform) == 10_000
    chance = float(uniform.propensities[0])
    found = da.importance_value(learnt, np.full(len(learnt), chance))
    assert found.low < uniform.rewards.mean() < found.high
