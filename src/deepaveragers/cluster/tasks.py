"""The same function on many arguments, on the nodes of a cluster, whatever happens to them.

A task is a function of small arguments that writes what matters to files and returns little. It may
run twice, whole or in part: a task whose node is gone, whose process died or that gives no
sign of life is started again elsewhere, up to `RETRIES` times, with a line in the log
`deepaveragers.cluster`. An error that the function raises itself ends everything.
Nothing here waits without a limit.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ClusterError, DeepAveragersError
from .heartbeat import LOOK_SECONDS, Pulse, give_up, run_with_heartbeat

RETRIES = 3
IDLE_LOOKS = 240
"""Looks, 2 minutes, without any task at work after which one gives up."""
RESULT_SECONDS = 30.0
"""To fetch the small result of a task that is done."""
AVOIDED_SECONDS = 60.0
"""For which a node on which a task hung gets none; by then Ray has judged it too."""

logger = logging.getLogger("deepaveragers.cluster")


@dataclass
class _Running:
    place: int
    tries: int
    pulse: Pulse


class Workers:
    """The nodes of a cluster, and a folder that all of them see."""

    def __init__(self, ray: Any, folder: Path) -> None:
        self._ray, self._beats = ray, folder / "alive"
        self._beats.mkdir(parents=True, exist_ok=True)
        self._avoided: dict[str, float] = {}
        self._unfetched: list[Any] = []
        self.retried = 0

    @property
    def cpus(self) -> int:
        """Processors of the cluster."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def nodes(self) -> list[str]:
        """Return the ids of the nodes that can work, in a fixed order."""
        return sorted(
            node["NodeID"]
            for node in self._ray.nodes()
            if node["Alive"] and node["Resources"].get("CPU", 0) >= 1
        )

    def avoid(self, node: str) -> None:
        """Start nothing on a node for a while, unless there is no other."""
        self._avoided[node] = time.monotonic() + AVOIDED_SECONDS

    def trusted(self, nodes: list[str]) -> list[str]:
        """Return those of some nodes that are not to be avoided; all, if there are none."""
        now = time.monotonic()
        return [one for one in nodes if self._avoided.get(one, now) <= now] or nodes

    def give_up(self, reference: Any, pulse: Pulse) -> None:
        """Have a task end; Ray would complain of a result that is dropped."""
        give_up(pulse.file)
        self._unfetched.append(reference)

    def warm_up(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Run a function on every processor beside what the driver does; nobody waits for it.

        Processes start meanwhile, import what the function does, and load its kernels.
        """
        options = {"num_cpus": 1, "max_retries": 0, "scheduling_strategy": "SPREAD"}
        remote = self._ray.remote(function).options(**options)
        self._unfetched += [remote.remote(*arguments) for _ in range(self.cpus)]

    def map(
        self,
        function: Callable[..., Any],
        tasks: Sequence[tuple[Any, ...]],
        label: str,
        *,
        look: Callable[[], None] = lambda: None,
        homes: Sequence[str] = (),
    ) -> list[Any]:
        """Return what the function returns for each task, in their order.

        Args:
            function: of a module that all nodes have.
            tasks: its arguments; small, for they are sent to the nodes.
            label: what the tasks are, for messages.
            look: called every half second, to show progress.
            homes: nodes on which tasks had better run, by turns, since their files are at hand.
        """
        return _Mapping(self, function, tasks, label, homes).results(look)


class _Mapping:
    """One call of `Workers.map`."""

    def __init__(
        self,
        workers: Workers,
        function: Callable[..., Any],
        tasks: Sequence[tuple[Any, ...]],
        label: str,
        homes: Sequence[str],
    ) -> None:
        self._workers, self._ray = workers, workers._ray
        self._function, self._tasks, self._label, self._homes = function, tasks, label, homes
        self._remote = self._ray.remote(run_with_heartbeat)
        self._running: dict[Any, _Running] = {}
        self._results: list[Any] = [None] * len(tasks)
        self._idle = 0
        self._alive = workers.nodes()
        self._trusted = workers.trusted(self._alive)

    def results(self, look: Callable[[], None]) -> list[Any]:
        """Run all tasks."""
        try:
            for place in range(len(self._tasks)):
                self._start(place, 0)
            while self._running:
                self._step()
                look()
        finally:
            for reference, running in self._running.items():
                self._workers.give_up(reference, running.pulse)
        return self._results

    def _start(self, place: int, tries: int, *, moved: bool = False) -> None:
        file = self._workers._beats / uuid.uuid4().hex
        options: dict[str, Any] = {"num_cpus": 1, "max_retries": 0, "scheduling_strategy": "SPREAD"}
        # Named where one is to be avoided: Ray may still wait for the answer of one that hangs.
        named = tries or moved or len(self._trusted) < len(self._alive)
        nodes = self._trusted if named else self._homes
        if nodes:
            from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

            node = nodes[(place + tries) % len(nodes)]
            options["scheduling_strategy"] = NodeAffinitySchedulingStrategy(node, soft=True)
        reference = self._remote.options(**options).remote(
            str(file), self._function, *self._tasks[place]
        )
        self._running[reference] = _Running(place, tries, Pulse(file))

    def _step(self) -> None:
        """Wait a moment; take what is done, and start again what is lost."""
        waiting = list(self._running)
        done, others = self._ray.wait(waiting, num_returns=len(waiting), timeout=LOOK_SECONDS)
        for reference in done:
            self._take(reference)
        before, self._alive = self._trusted, self._workers.nodes()
        hung = [one for one in others if self._running[one].pulse.hangs(self._alive)]
        for reference in hung:
            self._workers.avoid(self._running[reference].pulse.node)
        self._trusted = self._workers.trusted(self._alive)
        for reference in hung:
            pulse = self._running[reference].pulse
            self._workers.give_up(reference, pulse)
            self._again(reference, pulse.complaint)
        if set(before) - set(self._trusted):
            self._move([one for one in others if one not in hung])
        at_work = any(one.pulse.begun for one in self._running.values())
        self._idle = 0 if done or at_work or hung else self._idle + 1
        if self._idle >= IDLE_LOOKS:
            raise ClusterError(
                f"{self._label}: no node of the cluster has begun any of {len(others)} tasks for "
                f"{IDLE_LOOKS * LOOK_SECONDS:.0f} s. Look at its state with `ray status`."
            )

    def _move(self, references: list[Any]) -> None:
        """Have tasks that have not begun wait for another node than the one that is gone."""
        for reference in references:
            if not self._running[reference].pulse.begun:
                waiting = self._running.pop(reference)
                self._workers.give_up(reference, waiting.pulse)
                self._start(waiting.place, waiting.tries, moved=True)

    def _take(self, reference: Any) -> None:
        errors = self._ray.exceptions
        try:
            result = self._ray.get(reference, timeout=RESULT_SECONDS)
        except errors.RayTaskError as error:
            raise _raised(error, self._label) from error
        except errors.RayError as error:  # the node, the process or the result is gone
            self._again(reference, type(error).__name__)
            return
        self._results[self._running.pop(reference).place] = result

    def _again(self, reference: Any, reason: str) -> None:
        lost = self._running.pop(reference)
        tries = lost.tries + 1
        if tries > RETRIES:
            raise ClusterError(
                f"{self._label}: task {lost.place} was lost {tries} times, the last time by "
                f"{reason}. Its node may lack memory; look at `ray status` and Ray's logs."
            )
        logger.warning(
            "%s: task %d was lost (%s) and is tried again, %d of %d",
            self._label, lost.place, reason, tries, RETRIES,
        )  # fmt: skip
        self._workers.retried += 1
        self._start(lost.place, tries)


def _raised(error: Any, label: str) -> Exception:
    """Return the error that a task raised on its node."""
    cause = getattr(error, "cause", None)
    if isinstance(cause, DeepAveragersError):
        return cause
    reason = f"{type(cause).__name__}: {cause}" if cause is not None else str(error)
    return ClusterError(f"{label} failed on a node: {reason}")
