"""Makes the files of this folder: small, whole, one of each kind that is read.

    python tests/corpus/make.py

Fuzzing starts from them, and they are read by every later version as they are: make new kinds
beside the old, and leave the old alone.
"""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np

import deepaveragers as da

HERE = Path(__file__).parent


def odd_tables() -> dict[str, bytes]:
    """Return texts that are hardly tables, or tables with one strange cell."""
    head = b"e,t,x,y,a,r,d\n"
    return {
        "empty": b"",
        "newline": b"\n",
        "comma": b",",
        "header-only": head[:-1],
        "byte-order-mark": b"\xef\xbb\xbf" + head + b"0,0,1,1,0,0,1\n",
        "open-quote": head + b'"0,0,1,1,0,0,1\n',
        "many-quotes": head + b'"' * 2001,
        "semicolons": head.replace(b",", b";") + b"0;0;1;1;0;0;1\n",
        "too-large-number": head + b"0,0,1e999,1,0,0,1\n",
        "nan-reward": head + b"0,0,1,1,0,nan,1\n",
        "no-such-date": head + b"0,2026-13-45,1,1,0,0,1\n",
        "windows-lines": (head + b"0,0,1,1,0,0,1\n").replace(b"\n", b"\r\n"),
        "nul": head + b"\x00,0,1,1,0,0,1\n",
        "huge-action": head + b"0,0,1,1,99999999999999999999,0,1\n",
        "huge-episode": head + b"99999999999999999999999,0,1,1,0,0,1\n",
        "flag-two": head + b"0,0,1,1,0,0,2\n",
        "long-time": head + b"0," + b"9" * 5000 + b",1,1,0,0,1\n",
        "infinite-time": head + b"0,inf,1,1,0,0,1\n",
        "not-gzip": b"\x1f\x8b\x08\x00",
        "umlaut": head + b"0,0,1,1,\xc3\xa4,0,1\n",
    }


def sound_table() -> bytes:
    """Return a sound table of four episodes."""
    return (
        "e,t,x,y,a,r,d\n"
        + "".join(
            f"run {i // 5},{i % 5},{i * 0.25},{-i},{'left' if i % 3 else 'right'},{i},"
            f"{int(i % 5 == 4)}\n"
            for i in range(20)
        )
    ).encode()


def stacked() -> da.Transitions:
    """Return a few steps of stacked frames."""
    frames = np.random.default_rng(0).integers(0, 256, (14, 6, 5), dtype=np.uint8)
    here, later = da.FrameStacks.of_episodes(frames, [5, 7], 3)
    return da.Transitions(
        observations=here,
        actions=np.arange(12) % 2,
        rewards=np.arange(12.0),
        next_observations=later,
        terminations=np.arange(12) == 4,
        truncations=np.arange(12) == 11,
    )


def write_hdf5(data: da.Transitions) -> None:
    """Write as D4RL does."""
    with h5py.File(HERE / "archives" / "d4rl.h5", "w") as file:
        for name in ("observations", "actions", "rewards", "next_observations"):
            file.create_dataset(name, data=getattr(data, name), compression="gzip")
        file["terminals"], file["timeouts"] = data.terminations, data.truncations


def write_d3rlpy(data: da.Transitions) -> None:
    """Write as d3rlpy 2.1 does."""
    rows = list(data.episodes())
    with h5py.File(HERE / "archives" / "d3rlpy.h5", "w") as file:
        file["columns"] = ["observations", "actions", "rewards", "terminated"]
        file["num_episodes"], file["version"] = len(rows), "2.1"
        for number, part in enumerate(rows):
            file[f"observations_{number}"] = data.observations[part]
            file[f"actions_{number}"] = data.actions[part, None]
            file[f"rewards_{number}"] = data.rewards[part, None]
            file[f"terminated_{number}"] = data.terminations[part][-1]


def main() -> None:
    """Write everything."""
    for folder in ("tables", "archives", "bundles"):
        (HERE / folder).mkdir(exist_ok=True)
    for name, content in {**odd_tables(), "sound": sound_table()}.items():
        (HERE / "tables" / f"{name}.csv").write_bytes(content)
    data = da.collect("CartPole-v1", steps=60, seed=3)
    da.write(data, HERE / "archives" / "own.npz")
    da.write(data, HERE / "archives" / "own.parquet")
    write_hdf5(data)
    write_d3rlpy(data)
    mdp = da.compile(data, k=2)
    records = {"transitions": data, "frames": stacked(), "model": mdp, "plan": mdp.solve(gamma=0.9)}
    for name, record in records.items():
        da.save(record, HERE / "bundles" / name)


if __name__ == "__main__":
    main()
