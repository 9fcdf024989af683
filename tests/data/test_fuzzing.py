"""Harmed files of every format give the right data or a clear error."""

from __future__ import annotations

import numpy as np
import pytest

from deepaveragers.data.reading import read
from deepaveragers.data.writing import write
from deepaveragers.errors import DeepAveragersError

COLUMNS = {
    "episode": "e",
    "time": "t",
    "observations": "x,y",
    "action": "a",
    "reward": "r",
    "terminated": "d",
}
TEXT = "e,t,x,y,a,r,d\n" + "".join(
    f"run {i // 5},{i % 5},{i * 0.25},{-i},{'left' if i % 3 else 'right'},{i},{int(i % 5 == 4)}\n"
    for i in range(20)
)
CORPUS = [
    b"", b"\n", b",", b"e,t,x,y,a,r,d", b"\xef\xbb\xbfe,t,x,y,a,r,d\n0,0,1,1,0,0,1\n",
    b'e,t,x,y,a,r,d\n"0,0,1,1,0,0,1\n', b"e;t;x;y;a;r;d\n0;0;1;1;0;0;1\n",
    b"e,t,x,y,a,r,d\n0,0,1e999,1,0,0,1\n", b"e,t,x,y,a,r,d\n0,0,1,1,0,nan,1\n",
    b"e,t,x,y,a,r,d\n0,2026-13-45,1,1,0,0,1\n", b"e,t,x,y,a,r,d\r\n0,0,1,1,0,0,1\r\n",
    b"e,t,x,y,a,r,d\n\x00,0,1,1,0,0,1\n", b"e,t,x,y,a,r,d\n0,0,1,1,99999999999999999999,0,1\n",
    b"e,t,x,y,a,r,d\n99999999999999999999999,0,1,1,0,0,1\n", b"e,t,x,y,a,r,d\n0,0,1,1,0,0,2\n",
    b"e,t,x,y,a,r,d\n0," + b"9" * 5000 + b",1,1,0,0,1\n", b"e,t,x,y,a,r,d\n0,inf,1,1,0,0,1\n",
    b"e,t,x,y,a,r,d\n" + b'"' * 200_001, b"\x1f\x8b\x08\x00",
    b"e,t,x,y,a,r,d\n0,0,1,1,\xc3\xa4,0,1\n",
]  # fmt: skip


def harmed(content, random):
    content = bytearray(content)
    for _ in range(int(random.integers(1, 4))):
        place = int(random.integers(len(content) + 1))
        kind = int(random.integers(5))
        if kind == 0 and place < len(content):
            content[place] ^= 1 << int(random.integers(8))
        elif kind == 1:
            content[place : place + 1] = random.bytes(int(random.integers(1, 9)))
        elif kind == 2:
            del content[place : place + int(random.integers(1, 40))]
        elif kind == 3:
            content[place:place] = content[: int(random.integers(1, 200))]
        else:
            token = [b"nan", b"inf", b",", b'"', b"\n", b"-1", b"1e400", b"\x00"]
            content[place:place] = token[int(random.integers(len(token)))]
    return bytes(content)


def attempt(path, **columns):
    """Read a file; a dataset must be sound, and an error one of ours."""
    try:
        data = read(path, **columns)
    except DeepAveragersError:
        return 0
    assert np.isfinite(data.observations).all()
    assert np.isfinite(data.rewards).all()
    return 1


def test_text_corpus(tmp_path):
    path = tmp_path / "log.csv"
    for content in CORPUS:
        path.write_bytes(content)
        attempt(path, **COLUMNS)


def test_harmed_text_tables(tmp_path):
    random = np.random.default_rng(0)
    path = tmp_path / "log.csv"
    read_well = 0
    for _ in range(1500):
        path.write_bytes(harmed(TEXT.encode(), random))
        missing = "drop" if random.random() < 0.5 else "error"
        read_well += attempt(path, **COLUMNS, missing=missing)
    assert 0 < read_well < 1500


@pytest.mark.parametrize("format", ["npz", "parquet", "hdf5", "d3rlpy"])
def test_harmed_archives(tmp_path, format, cartpole):
    small = cartpole.subset(slice(0, 60))
    if format in ("npz", "parquet"):
        pytest.importorskip("pyarrow" if format == "parquet" else "numpy")
        path = write(small, tmp_path / f"data.{format}")
    else:
        path = _hdf5(tmp_path / "data.h5", small, format)
    whole = path.read_bytes()
    random = np.random.default_rng(1)
    for _ in range(300):
        path.write_bytes(harmed(whole, random))
        attempt(path)


def _hdf5(path, data, format):
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        if format == "hdf5":
            for name in ("observations", "actions", "rewards", "next_observations"):
                file.create_dataset(name, data=getattr(data, name), compression="gzip")
            file["terminals"], file["timeouts"] = data.terminations, data.truncations
        else:
            rows = list(data.episodes())
            file["columns"] = ["observations", "actions", "rewards", "terminated"]
            file["num_episodes"], file["version"] = len(rows), "2.1"
            for number, part in enumerate(rows):
                file[f"observations_{number}"] = data.observations[part]
                file[f"actions_{number}"] = data.actions[part, None]
                file[f"rewards_{number}"] = data.rewards[part, None]
                file[f"terminated_{number}"] = data.terminations[part][-1]
    return path
