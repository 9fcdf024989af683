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


@pytest.mark.parametrize("seed", range(3))
def test_the_other_policy_is_estimated(tmp_path, seed):
    write_log(tmp_path / "own.csv", favoured(), seed=seed)
    other = write_log(tmp_path / "other.csv", UNIFORM, seed=seed + 100)
    data = da.read(tmp_path / "own.csv", **COLUMNS)
    found = da.importance_value(data, np.full(len(data), 1.0 / ITEMS))
    assert found.low < true_rate(UNIFORM) < found.high
    assert found.low < other < found.high
    assert found.high - found.low < 0.04
    back = da.read(tmp_path / "other.csv", **COLUMNS)
    places = np.argmax(back.observations[:, :POSITIONS], axis=1)
    chances = favoured()[places]
    assert np.allclose(chances.sum(axis=1), 1.0)
    found = da.importance_value(back, chances)
    assert found.low < true_rate(favoured()) < found.high


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
