"""Planning with a cluster: on this machine while the MDP fits its memory, else in blocks.

A plan on one machine takes tens of sweeps, and memory for the graph and its packed copy. In blocks
of whole trajectories (`rounds`) each node needs a part, but there are from 10 to some hundred
rounds. So blocks are the way only where there is no other. The certificate is the same.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from ..arguments import optional, shown, whole_number
from ..arrays import Float64, Int64
from ..cluster.files import whole_array, write_array
from ..cluster.memory import available_bytes
from ..cluster.tasks import Workers
from ..cluster.work_dir import requested, workers
from ..errors import InputError
from ..kernels.bellman.problem import Problem
from ..mdp.model import DacMdp
from ..mdp.objective import Objective
from ..mdp.problem import pose
from ..neighbors.checkpoint import fingerprint
from ..progress import note
from .block_files import OF_BLOCKS, BlockFiles, scalars_of, sweep_block
from .certificate import Certificate, certify_backups
from .iteration.limits import Callback, Limits, Watch
from .iteration.target import Target
from .plan import Plan, Solution, Status
from .rounds import SWEEPS, RoundState, gathered, load_state, next_values, save_state

VERSION = 2
"""Of the files: others are not gone on with."""
GRAPH_COPIES = 2.5
"""Of the graph's bytes that planning on one machine needs, its packed copy and vectors included."""
USABLE = 0.8
"""Share of the free memory that a plan may take."""


def needed_bytes(mdp: DacMdp) -> int:
    """Return about how much memory a plan on one machine needs."""
    graph = mdp.graph
    return int(GRAPH_COPIES * (graph.indices.nbytes + graph.distances.nbytes))


def fits_here(mdp: DacMdp) -> bool:
    """Whether the MDP can be planned in this machine's memory; says what is needed."""
    needed, free = needed_bytes(mdp), available_bytes()
    fits = needed <= USABLE * free
    where = "on this machine" if fits else "in blocks on the cluster"
    note(f"Planning {where}: about {needed / 1e9:.1f} GB needed, {free / 1e9:.1f} GB free here.")
    return fits


def solve_if_too_large(
    mdp: DacMdp,
    objective: Objective,
    tolerance: float,
    limits: Limits,
    callback: Callback | None,
    *,
    cluster: object,
    work_dir: object,
    blocks: object = None,
    **others: object,
) -> Plan | None:
    """Return the plan made in blocks; None where the MDP fits this machine's memory.

    `others` are options that planning in blocks does not have, and must be left alone then.
    """
    if blocks is not None and cluster is None:
        raise InputError("blocks", "None unless a cluster is given", shown(blocks))
    place = requested(cluster, work_dir)
    number = optional(whole_number, "blocks", blocks)
    if number is None and fits_here(mdp):
        return None
    for name, value in others.items():
        if value not in (None, "auto", "cpu"):
            allowed = "left alone for an MDP that is planned in blocks"
            raise InputError(name, allowed, shown(value))
    return solve_in_blocks(mdp, objective, tolerance, limits, callback, **place, blocks=number)


def solve_in_blocks(
    mdp: DacMdp,
    objective: Objective,
    tolerance: float,
    limits: Limits,
    callback: Callback | None = None,
    *,
    cluster: str,
    work_dir: Path,
    blocks: int | None = None,
) -> Plan:
    """Return the plan of an objective, made in blocks by the nodes of a cluster.

    Arguments as of `DacMdp.solve`; None blocks are one for every processor. The callback is called
    after every round. The same plan goes on from what is in `work_dir`.
    """
    if objective.horizon is not None:
        raise InputError("horizon", "None for an MDP that is planned in blocks", objective.horizon)
    problem = pose(mdp, objective)
    arrays = [getattr(problem, name) for name in ("rewards", *OF_BLOCKS)]
    asked = fingerprint(*arrays), scalars_of(problem), VERSION
    name = fingerprint(np.frombuffer(repr(asked).encode(), np.uint8))[:16]
    folder = work_dir.absolute() / f"plan-{name}"
    with workers(cluster, folder) as hired, ExitStack() as stack:
        number = hired.cpus if blocks is None else blocks
        files = BlockFiles(folder, _bounds(mdp, number, folder), scalars_of(problem))
        if not (folder / "state.json").exists():
            files.write(problem)
            save_state(files, RoundState(), np.zeros(len(mdp)))
        loop = _Loop(files, hired, problem, tolerance, Watch(limits, callback, stack))
        status = loop.run()
        proof, values, q_values = loop.outcome()
    found = Solution(status, proof, values, q_values, loop.state.sweeps)
    return found.plan(mdp, objective, tolerance, limits.began)


def _bounds(mdp: DacMdp, blocks: int, folder: Path) -> tuple[int, ...]:
    """Return the first state of every block, and the number of all: those of an earlier run."""
    file = folder / "bounds.npy"
    if not file.exists():
        write_array(file, block_bounds(mdp.transitions.episode_ids, blocks))
    return tuple(whole_array(file).tolist())


def block_bounds(episode_ids: Int64, blocks: int) -> Int64:
    """Return where blocks begin: at episodes where there are any nearby, else anywhere."""
    size = len(episode_ids)
    starts = np.append(np.flatnonzero(np.diff(episode_ids)) + 1, size)
    width = size / blocks
    bounds = [0]
    for wanted in (width * np.arange(1, blocks)).astype(np.int64).tolist():
        near = int(starts[np.abs(starts - wanted).argmin()])
        bounds.append(near if abs(near - wanted) <= width / 2 else wanted)
    return np.unique([*bounds, size])


class _Loop:
    """Rounds until the bounds are as narrow as asked, or something runs out."""

    def __init__(
        self, files: BlockFiles, hired: Workers, problem: Problem, tolerance: float, watch: Watch
    ) -> None:
        self._files, self._workers, self._problem, self._watch = files, hired, problem, watch
        self._target = Target(problem, tolerance)
        self.state = load_state(files) or RoundState()

    def run(self) -> Status:
        """Go round after round."""
        state = self.state
        if state.first:
            self._target.set_scale(state.first[0], int(state.first[1]), state.first[2])
        try:
            while True:
                proof = self._round()
                if proof.error <= self._target.allowed:
                    return "optimal"
                ended = self._watch.look(state.sweeps, state.proof.error, self._target.allowed)
                values = next_values(self._files, state, proof.residual)
                state.number += 1
                save_state(self._files, state, values)
                if ended is not None:
                    return ended
        except KeyboardInterrupt:
            if not state.best:
                raise
            return "interrupted"

    def _round(self) -> Certificate:
        """Sweep every block; return what the first sweeps prove."""
        state, begins = self.state, not self._target.known
        found = self._sweep(1 if begins else SWEEPS, in_place=not begins, keep_q=False)
        first = gathered(self._files, state.number, 0)
        proof, stuck, distance_cost = certify_backups(self._problem, found, first)
        if begins:
            state.first = [proof.residual, stuck, distance_cost]
            self._target.set_scale_by(proof, stuck, distance_cost)
        proof = self._target.within_reach(proof, first)
        state.sweeps += 1 if begins else SWEEPS
        if not state.best or proof.error < state.proof.error:
            state.best, state.best_round = asdict(proof), state.number
        return proof

    def _sweep(self, sweeps: int, *, in_place: bool, keep_q: bool) -> list[Any]:
        files, number = self._files, self.state.number
        nodes = self._workers.nodes()
        tasks = [
            (files, block, number, sweeps, in_place, keep_q)
            for block in range(len(files.bounds) - 1)
        ]
        return self._workers.map(sweep_block, tasks, "planning in blocks", homes=nodes)

    def outcome(self) -> tuple[Certificate, Float64, Float64]:
        """Return the best bounds, and the values and action values that they are of."""
        state = self.state
        state.number = state.best_round
        # The same first sweep again, with its action values.
        self._sweep(1, in_place=state.number > 0, keep_q=True)
        blocks = range(len(self._files.bounds) - 1)
        q_values = np.concatenate([whole_array(self._files.q_values(block)) for block in blocks])
        return state.proof, gathered(self._files, state.number, 0), q_values
