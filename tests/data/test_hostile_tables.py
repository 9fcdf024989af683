"""Tables made to mislead or to exhaust: read as they are, or refused in a sentence and in time."""

from __future__ import annotations

import contextlib
import gzip
import subprocess
import sys
import zipfile

import pytest

import deepaveragers as da

COLUMNS = {"action": "a", "reward": "r", "episode": "e", "terminated": "d"}
MOST_MEGABYTES = 450
"""Of a process that reads a bomb; loading the package takes most of it."""


def with_cell(tmp_path, cell):
    path = tmp_path / "log.csv"
    path.write_text(f"e,x,a,r,d\n0,1,0,1,0\n0,{cell},1,1,0\n0,3,0,1,1\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "cell", ["1_000", "1_0.5", "\uff11\uff12", "\u0661\u0662", "\u00b2", "1\u00a0000", "0x10"]
)
def test_what_only_python_takes_for_a_number(tmp_path, cell):
    with pytest.raises(da.InputError, match="column 'x' at line 3 must be a number"):
        da.read(with_cell(tmp_path, cell), **COLUMNS, observations="x")


@pytest.mark.parametrize(("cell", "number"), [(" 1e3 ", 1000.0), ("+1.5", 1.5), ("-.5", -0.5)])
def test_what_is_a_number(tmp_path, cell, number):
    data = da.read(with_cell(tmp_path, cell), **COLUMNS, observations="x")
    assert data.observations[1, 0] == number


def test_a_header_of_any_length_is_read_whole(tmp_path):
    """Longer than what the csv module takes for one cell, and than any buffer."""
    names = [f"a column with a long name {number:05}" for number in range(9_000)]
    header = ",".join(["e", "a", "r", "d", *names])
    assert len(header) > 250_000
    row = ",".join(["1"] * len(names))
    lines = [header, f"0,0,1,0,{row}", f"0,1,1,0,{row}", f"0,0,1,1,{row}"]
    path = tmp_path / "wide.csv"
    path.write_text("\n".join(lines) + "\n")
    data = da.read(path, **COLUMNS)
    assert data.observations.shape == (3, 9_000)
    assert data.observation_names[-1] == names[-1]


def peak_megabytes(path):
    """Read a file in a process of its own; return its peak of memory, and what it said."""
    program = (
        "import sys, deepaveragers as da\n"
        "try:\n"
        "    da.read(sys.argv[1], action='a', reward='r', episode='e')\n"
        "except da.InputError as error:\n"
        "    print(error)\n"
        # Not ru_maxrss: that begins with the size of the process that started this one.
        "peak = next(line for line in open('/proc/self/status') if line.startswith('VmHWM'))\n"
        "print(int(peak.split()[1]) // 1024)\n"
    )
    command = [sys.executable, "-c", program, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    *said, peak = done.stdout.splitlines()
    return int(peak), said


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="counts kilobytes as Linux does")
@pytest.mark.parametrize("kind", ["header.csv.gz", "cell.zip"])
def test_a_bomb_is_refused_before_it_fills_the_memory(tmp_path, kind):
    """Half a gigabyte without the end of a line, in half a megabyte."""
    path, block = tmp_path / kind, b"1" * (16 << 20)
    with contextlib.ExitStack() as stack:
        if kind.endswith("gz"):
            stream = stack.enter_context(gzip.open(path, "wb", compresslevel=1))
        else:
            archive = stack.enter_context(zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED))
            stream = stack.enter_context(archive.open("log.csv", "w"))
            stream.write(b"e,x,a,r\n0,")
        for _ in range(32):
            stream.write(block)
    peak, said = peak_megabytes(path)
    assert len(said) == 1
    assert "characters" in said[0]
    assert peak < MOST_MEGABYTES
