"""The judgements of a fit on a cluster: folds, and parts x groups of candidates, as tasks.

A node makes the same candidates as the driver, of the log and the candidates that it is given, and
keeps what its judges learn and say in files (`kept`). The driver then finds all of that in place of
its own work; it makes the chosen policy itself. So the answer is that of one machine, and what
was judged before a kill is not judged again.

    fit-<digest>-data/<column>.npy      the log, as `data.packing` has it, and settings.json
    fit-<digest>-fold0-judges.npz       what the judges of a fold learnt
    fit-<digest>-part0-group2.json      what is said of a group of candidates made from a part
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...arguments import shown
from ...cluster.files import whole_array, write_array, write_text
from ...cluster.watching import watched
from ...cluster.work_dir import requested, workers
from ...data.packing import pack_transitions, unpack_transitions
from ...data.transitions import Transitions
from ...errors import InputError
from ..candidates import Candidate, by_encoder
from .judging import Judging
from .kept import Kept

READY = "settings.json"


def place_asked(cluster: object, work_dir: object, **others: object) -> dict[str, Any]:
    """Return where to judge, checked, and options of one machine refused; nothing for here."""
    if cluster is None and work_dir is None:
        return {}
    place = requested(cluster, work_dir)
    for name, value in others.items():
        if value is not None:
            raise InputError(name, "left alone where cluster is given", shown(value))
    return place


@dataclass(frozen=True, eq=False)
class Course:
    """A fit as every node sees it.

    Attributes:
        kept: what was learnt and said so far.
        candidates: all of them, in order.
        settings: further arguments of `Judging`: gamma, folds, learn, seed.
    """

    kept: Kept
    candidates: tuple[Candidate, ...]
    settings: Mapping[str, Any]

    @property
    def log(self) -> Path:
        """The folder of the log."""
        assert self.kept.folder is not None
        return self.kept.folder / f"fit-{self.kept.digest}-data"

    def judging(self) -> Judging:
        """Return the driver's, made again."""
        return Judging(read_log(self.log), self.candidates, **self.settings, kept=self.kept)


def judge_on_cluster(
    course: Course,
    data: Transitions,
    *,
    cluster: str,
    work_dir: Path,
    show_progress: bool | None,
) -> None:
    """Have all judgements made by the nodes of a cluster; those that are there are left alone.

    Args:
        course: the fit.
        data: its log.
        cluster: "auto" or an address; see `cluster.session`.
        work_dir: the folder that all nodes see.
        show_progress: None shows bars on a terminal only.
    """
    groups = by_encoder(course.candidates)
    count = course.settings["folds"]
    judges = {(course, fold): course.kept.judges_file(fold) for fold in range(count)}
    said = {
        (course, part, number): course.kept.file(part, number)
        for number in range(len(groups))
        for part in range(count + 1)
    }
    if all(file.exists() for file in said.values()):
        return
    with workers(cluster, work_dir) as hired:
        write_log(course.log, data)
        with watched("judges", dict.fromkeys(judges.values(), 1), show_progress) as look:
            tasks = [task for task, file in judges.items() if not file.exists()]
            hired.map(learn_judges, tasks, "learning judges", look=look)
        sizes = {file: len(groups[task[2]]) for task, file in said.items()}
        with watched("candidates", sizes, show_progress) as look:
            waiting = [task for task, file in said.items() if not file.exists()]
            hired.map(judge_group, waiting, "judging candidates", look=look)


def learn_judges(course: Course, fold: int) -> None:
    """Make the judges of a fold, on a node."""
    judging = course.judging()
    with judging.quietly():
        judging.prepare_fold(fold, lambda count: None)


def judge_group(course: Course, part: int, number: int) -> None:
    """Make the candidates of a group from a part of the log, and judge them, on a node."""
    if course.kept.file(part, number).exists():
        return
    judging = course.judging()
    with judging.quietly():
        for fold in range(course.settings["folds"]):
            judging.prepare_fold(fold, lambda count: None)
        judging.judge_group(part, number)


def write_log(folder: Path, data: Transitions) -> None:
    """Write a log for nodes to read."""
    if (folder / READY).exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    settings, arrays = pack_transitions(data)
    for name, array in arrays.items():
        write_array(folder / f"{name}.npy", array)
    # Last: where it is, the others are.
    write_text(folder / READY, json.dumps({"settings": settings, "arrays": list(arrays)}))


def read_log(folder: Path) -> Transitions:
    """Return a log that was written for nodes; its columns are mapped."""
    about = json.loads((folder / READY).read_text())
    arrays = {name: whole_array(folder / f"{name}.npy") for name in about["arrays"]}
    return unpack_transitions(about["settings"], arrays)
