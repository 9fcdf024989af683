from __future__ import annotations

import subprocess
import sys

import deepaveragers as da


def test_every_public_name_is_there():
    for name in da.__all__:
        assert getattr(da, name) is not None
    assert set(dir(da)) == {*da.__all__, "__version__"}


def test_importing_loads_nothing_heavy():
    script = (
        "import sys, deepaveragers as da\n"
        "da.Transitions, da.Objective, da.compile, da.InputError\n"
        "heavy = {'torch', 'ray', 'faiss', 'minari', 'matplotlib', 'numba', 'gymnasium', 'rich'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr
