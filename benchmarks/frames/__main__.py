"""A million Atari-like steps, 84 x 84 and four frames a stack: disk, memory and speed.

    python -m benchmarks.frames [--steps 1000000] [--directory DIR]

Frames are random bytes, which nothing could compress. They are made in a temporary file, saved
as a bundle, loaded with every checksum verified, read as batches of 32 random stacks, and
encoded in part. Memory is the process's own (RssAnon): what is mapped from files is the
system's to keep or drop. Both files are removed at the end.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import deepaveragers as da

EPISODE = 1000
BATCHES = 1000
ENCODED = 2000


class Watch:
    """The largest own memory of this process, looked at ten times a second."""

    def __init__(self) -> None:
        self.peak = 0
        self._done = threading.Event()
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        while not self._done.wait(0.1):
            status = Path("/proc/self/status").read_text()
            self.peak = max(self.peak, int(status.split("RssAnon:")[1].split()[0]) * 1024)

    def stop(self) -> int:
        """Return the peak."""
        self._done.set()
        return self.peak


@contextmanager
def row(name: str, unit: float, word: str) -> Iterator[None]:
    """Print how long the work took, and its rate."""
    began = time.perf_counter()
    yield
    seconds = time.perf_counter() - began
    print(f"| {name} | {seconds:.1f} s | {unit / seconds:,.0f} {word} |", flush=True)


def random_frames(steps: int, directory: Path) -> tuple[np.ndarray, list[int]]:
    """Return frames of episodes, mapped to a file that is removed at once."""
    lengths = [EPISODE] * (steps // EPISODE) + [steps % EPISODE] * bool(steps % EPISODE)
    file = directory / "frames.npy"
    shape = (steps + len(lengths), 84, 84)
    frames = np.lib.format.open_memmap(file, "w+", np.uint8, shape)
    file.unlink()
    random = np.random.default_rng(0)
    for start in range(0, len(frames), EPISODE):
        part = frames[start : start + EPISODE]
        part[:] = np.frombuffer(random.bytes(part.size), np.uint8).reshape(part.shape)
    return frames, lengths


def measure(steps: int, directory: Path) -> None:
    """Print the table."""
    print(f"{steps:,} steps, stacks of 4 frames of 84 x 84, random bytes\n")
    print("| what | time | rate |\n|---|---:|---:|")
    watch = Watch()
    with row("make the frames", steps, "steps/s"):
        frames, lengths = random_frames(steps, directory)
    with row("make the record", steps, "steps/s"):
        here, later = da.FrameStacks.of_episodes(frames, lengths)
        ends = np.zeros(steps, dtype=bool)
        ends[np.cumsum(lengths) - 1] = True
        data = da.Transitions(
            observations=here,  # type: ignore[arg-type]
            actions=np.arange(steps) % 6,
            rewards=np.zeros(steps),
            next_observations=later,  # type: ignore[arg-type]
            terminations=ends,
        )
    path = directory / "bundle"
    with row("save", frames.nbytes / 1e6, "MB/s"):
        da.save(data, path)
    last = np.array(data.observations[steps - 1])
    del data, here, later, frames
    with row("load, checksums verified", steps * 84 * 84 / 1e6, "MB/s"):
        loaded = da.load(path)
    assert isinstance(loaded, da.Transitions)
    assert np.array_equal(loaded.observations[steps - 1], last)
    random = np.random.default_rng(1)
    with row(f"{BATCHES:,} batches of 32 random s and s'", BATCHES, "batches/s"):
        for _ in range(BATCHES):
            rows = random.integers(steps, size=32)
            loaded.observations[rows], loaded.next_observations[rows]
    encoder = da.RandomNetwork(dimensions=512).fit(loaded.observations)
    with row(f"encode {ENCODED:,} observations (Nature CNN)", ENCODED, "observations/s"):
        encoder.encode(loaded.subset(slice(0, ENCODED)).observations)
    stored = sum(file.stat().st_size for file in path.iterdir())
    peak = watch.stop()
    print(f"\non disk {stored / 1e9:.2f} GB; own memory at most {peak / 1e6:.0f} MB")


def main() -> None:
    """Run in a directory of its own, and remove it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--directory", type=Path, default=None)
    given = parser.parse_args()
    directory = Path(tempfile.mkdtemp(prefix="frames-", dir=given.directory))
    try:
        measure(given.steps, directory)
    finally:
        shutil.rmtree(directory)


if __name__ == "__main__":
    main()
