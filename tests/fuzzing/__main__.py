"""Harm files of every format that is read, and look for what no reader should do.

    python -m tests.fuzzing --mutations 20000

Every reading is an answer or one of our errors, in time and in bounded memory. Readings are made in
a process of their own, so that one that dies is told from one that raises. A finding names its
format and number: `--only npz --first 123 --mutations 1` makes it again.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tests.fuzzing.harm import harm_path
from tests.fuzzing.seeds import Seed, make_seeds

from deepaveragers.errors import DeepAveragersError

LONGEST_SECONDS = 20.0
"""For one reading, on a busy machine."""
MOST_BYTES = 1 << 30
"""That a process may grow by, over all its readings."""
LIMIT_BYTES = 8 << 30
"""Of addresses, so that a wild allocation fails instead of taking the machine."""


class Hang(BaseException):
    """A reading took too long."""


@dataclass
class Tally:
    """What became of the readings of one format."""

    read: int = 0
    refused: int = 0
    grown: int = 0
    problems: list[str] | None = None


def attempt(seed: Seed, number: int, folder: Path) -> str:
    """Harm a copy of the seed in the way of this number; return "read", "refused" or a problem."""
    path = folder / seed.path.name
    if path.is_dir():
        shutil.rmtree(path)
    copy = shutil.copytree if seed.path.is_dir() else shutil.copyfile
    copy(seed.path, path)
    random = np.random.default_rng([zlib.crc32(seed.name.encode()), number])
    harm_path(path, random)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = seed.read(path)
            if hasattr(result, "rewards") and not (
                np.isfinite(result.rewards).all() and np.isfinite(result.observations[:]).all()
            ):
                return "read numbers that are not finite"
    except DeepAveragersError as error:
        sentence = str(error).replace("\t", " ")
        return "refused" if sentence.isprintable() else f"said {sentence[:200]!r}"
    except (Hang, Exception) as error:
        frames = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in frames if "deepaveragers" in frame.filename]
        at = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "?"
        return f"raised {type(error).__name__} at {at}: {str(error).splitlines()[:1]}"
    return "read"


def _work(seed: Seed, numbers: range, folder: Path, results: Any) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))

    def too_long(*_: Any) -> None:
        raise Hang

    signal.signal(signal.SIGALRM, too_long)
    seed.read(seed.path)  # loads libraries
    before = _peak_bytes()
    for number in numbers:
        signal.setitimer(signal.ITIMER_REAL, LONGEST_SECONDS)
        outcome = attempt(seed, number, folder)
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        results.send((number, outcome, _peak_bytes() - before))
    results.close()


def _peak_bytes() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def fuzz(seed: Seed, numbers: range, folder: Path) -> Tally:
    """Read so many harmed copies of a seed; go on in a new process after one that died."""
    tally = Tally(problems=[])
    assert tally.problems is not None
    context = multiprocessing.get_context("fork")
    while numbers:
        folder.mkdir(parents=True, exist_ok=True)
        receive, send = context.Pipe(duplex=False)
        worker = context.Process(target=_work, args=(seed, numbers, folder, send))
        worker.start()
        send.close()
        last = numbers.start - 1
        try:
            while receive.poll(3 * LONGEST_SECONDS):
                last, outcome, grown = receive.recv()
                tally.read += outcome == "read"
                tally.refused += outcome == "refused"
                tally.grown = max(tally.grown, grown)
                if outcome not in ("read", "refused"):
                    tally.problems.append(f"{seed.name} {last}: {outcome}")
        except EOFError:
            pass
        worker.kill()
        worker.join()
        numbers = range(last + 1, numbers.stop)
        if numbers:
            tally.problems.append(f"{seed.name} {last + 1}: died ({worker.exitcode})")
            numbers = range(last + 2, numbers.stop)
    if tally.grown > MOST_BYTES:
        tally.problems.append(f"{seed.name}: grew by {tally.grown:,} bytes")
    return tally


def main() -> int:
    """Fuzz every format, or one; return how many problems there are, at most 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutations", type=int, default=20_000, help="in all")
    parser.add_argument("--first", type=int, default=0, help="number of the first one")
    parser.add_argument("--only", help="a format")
    asked = parser.parse_args()
    began, problems, done = time.perf_counter(), [], 0
    with tempfile.TemporaryDirectory() as name:
        seeds = [s for s in make_seeds(Path(name) / "seeds") if asked.only in (None, s.name)]
        each = -(-asked.mutations // len(seeds))
        for seed in seeds:
            numbers = range(asked.first, asked.first + each)
            tally = fuzz(seed, numbers, Path(name) / "harmed")
            problems += tally.problems or []
            done += each
            print(
                f"{seed.name:22} {each:6,} harmed: {tally.read:6,} read, {tally.refused:6,} "
                f"refused, grew by {tally.grown / 2**20:.0f} MB",
                flush=True,
            )
    print(f"{done:,} mutations in {time.perf_counter() - began:.0f} s: {len(problems)} problems")
    print("\n".join(problems))
    return min(1, len(problems))


if __name__ == "__main__":
    sys.exit(main())
