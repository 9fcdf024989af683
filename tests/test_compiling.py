"""Kernels that have to be compiled first: said on a terminal, once; and Ctrl-C waits for them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from threading import Thread
from types import SimpleNamespace

import pytest
from numba.core import event

from deepaveragers.compiling import (
    SENTENCE,
    compile_clock,
    told_of_compiling,
    watch_compiling,
)
from deepaveragers.kernels.knn.distances import squared_reach

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")

KERNEL = """
from deepaveragers.kernels.knn.distances import squared_reach
for one in (1.0, 1):
    squared_reach(one, one, 0.0, 3)
"""


def said(script, cache, *, terminal):
    """Return what a new process says on standard error, a terminal or a pipe."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    ours, theirs = os.openpty() if terminal else os.pipe()
    try:
        subprocess.run([sys.executable, "-c", script], env=environment, stderr=theirs, check=True)
        os.write(theirs, b".")
        return os.read(ours, 10_000).decode().removesuffix(".").split("\r\n")
    finally:
        os.close(ours)
        os.close(theirs)


def test_a_terminal_is_told_once_per_installation(tmp_path):
    assert said(KERNEL, tmp_path, terminal=True) == [SENTENCE, ""]
    assert said(KERNEL, tmp_path, terminal=True) == [""]


def test_a_pipe_is_told_nothing(tmp_path):
    assert said(KERNEL, tmp_path, terminal=False) == [""]


def test_functions_of_others_are_not_spoken_of(tmp_path):
    script = "import deepaveragers.kernels.jit, numba\nnumba.njit(lambda x: x + 1)(1)\n"
    assert said(script, tmp_path, terminal=True) == [""]


def compiled_while(work, *kernels):
    """Do the work as if these kernels were being compiled, each by the one before."""
    watch_compiling()
    with event.trigger_event("numba:compile", data={"dispatcher": kernels[0]}):
        if len(kernels) > 1:
            compiled_while(work, *kernels[1:])
        else:
            work()


def test_an_interrupt_waits_until_the_outermost_kernel_is_ready():
    done = []

    def press():
        signal.raise_signal(signal.SIGINT)
        done.append("pressed")

    def outer():
        compiled_while(press, squared_reach)
        done.append("ready")

    with pytest.raises(KeyboardInterrupt):
        compiled_while(outer, squared_reach)
    assert done == ["pressed", "ready"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    compiled_while(lambda: None, squared_reach)


def test_the_clock_counts_compiling():
    with compile_clock() as seconds:
        assert seconds() == 0.0
        compiled_while(lambda: None, squared_reach, squared_reach)
        assert seconds() > 0.0


def test_interrupts_of_others_are_theirs():
    seen = []
    foreign = SimpleNamespace(py_func=SimpleNamespace(__module__="somewhere.else"))
    with pytest.raises(KeyboardInterrupt):
        compiled_while(lambda: (signal.raise_signal(signal.SIGINT), seen.append(1)), foreign)
    assert seen == []
    thread = Thread(target=compiled_while, args=(lambda: seen.append(2), squared_reach))
    thread.start()
    thread.join()
    assert seen == [2]
    before = signal.signal(signal.SIGINT, lambda number, frame: seen.append(3))
    try:
        compiled_while(lambda: signal.raise_signal(signal.SIGINT), squared_reach)
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [2, 3]


def test_an_interrupt_before_or_after_the_guard_is_not_held_against_it(monkeypatch):
    watch_compiling()
    # Listeners before it may be interrupted, and then only the end is told.
    event.end_event("numba:compile", data={"dispatcher": squared_reach})
    restore = signal.signal

    def pressed_again(number, handler):
        restore(number, handler)
        if handler is signal.default_int_handler:
            raise KeyboardInterrupt

    monkeypatch.setattr(signal, "signal", pressed_again)
    done = []
    with pytest.raises(KeyboardInterrupt):
        compiled_while(
            lambda: (signal.raise_signal(signal.SIGINT), done.append("ready")), squared_reach
        )
    monkeypatch.undo()
    assert done == ["ready"]
    compiled_while(lambda: None, squared_reach)  # nothing is left to be raised


def test_a_program_is_told_of_the_beginning_and_the_end():
    told = []
    with told_of_compiling(told.append):
        compiled_while(lambda: told.append("inside"), squared_reach, squared_reach)
        others = SimpleNamespace(py_func=SimpleNamespace(__module__="theirs"))
        compiled_while(lambda: told.append("theirs"), others)
    compiled_while(lambda: told.append("after"), squared_reach)
    assert told == [True, "inside", False, "theirs", "after"]


def test_without_extras_numba_loads_neither_linear_algebra_nor_cffi():
    """And whoever wants them gets them afterwards."""
    pytest.importorskip("scipy")
    pytest.importorskip("cffi")
    code = """
import sys
from deepaveragers.compiling import load_without_extras
load_without_extras()
from deepaveragers.kernels.knn.distances import squared_reach
squared_reach(1.0, 1.0, 0.0, 3)
print({"scipy.linalg", "cffi"} & set(sys.modules))
import cffi, scipy.linalg.cython_blas
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout == "set()\n"
