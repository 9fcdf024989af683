from __future__ import annotations

from experiments.candidates import SETS, candidates
from experiments.ledger import Ledger, pooled, written


def test_a_torn_row_is_made_again(tmp_path):
    file = tmp_path / "results.csv"
    ledger = Ledger(file, ("name", "seed"), ("returns",))
    ledger.add(name="a", seed=0, returns=written([1.0, 2.5]))
    ledger.add(name="b", seed=0, returns=written([3.0]))
    file.write_text(file.read_text()[:-2])
    again = Ledger(file, ("name", "seed"), ("returns",))
    assert again.has(name="a", seed=0)
    assert not again.has(name="b", seed=0)
    again.add(name="b", seed=0, returns=written([3.0]))
    assert Ledger(file, ("name", "seed"), ("returns",)).rows == ledger.rows
    assert pooled(again.select(seed=0)).returns.tolist() == [1.0, 2.5, 3.0]


def test_the_sets_of_candidates():
    assert [len(candidates(size)) for size in SETS] == [1, 6, 20]
    assert set(candidates(1)) < set(candidates(6)) < set(candidates(20))
