"""Candidates made from parts of a log, and what is said of them.

Part f of F folds is all but fold f, and part F is all of the log. Judges of a fold learn from that
fold alone; so those of fold f hold nothing of what is made from part f. Where there is nothing to
compare inside a part (one candidate), and for pictures, of which representations take long to
learn, part F is left out.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property

from ...data.observations import is_image
from ...data.transitions import Transitions
from ...errors import DataWarning, InputError
from ...policy.policy import Policy
from ...progress import Advance
from ..candidates import Candidate, by_encoder
from .folds import as_log, in_blocks
from .folds import folds as divided
from .heard import Heard
from .judges.panel import JUDGES, STARTS, Panel, make_panel, one_thread_each
from .judges.simulated import Simulated
from .judges.verdict import Withheld
from .kept import Kept
from .making import Maker


class Judging:
    """Makes candidates from parts of a log, and has them judged.

    Args:
        data: the log.
        candidates: all of them.
        gamma: discount.
        folds: how many.
        learn: whether judges learn networks.
        seed: of folds, networks and luck.
        kept: what was said and learnt before, and is kept.

    Attributes:
        gamma: discount.
        learn: whether networks are learnt.
        seed: of folds, networks and luck.
        data: the log, in blocks where it has too few episodes.
        cut: whether it had to be cut into blocks.
        folds: of the episodes.
        parts: numbers of the parts.
        groups: candidates that share a representation.
        panels: the judges of each fold, by its number.
    """

    def __init__(
        self,
        data: Transitions,
        candidates: Sequence[Candidate],
        *,
        gamma: float,
        folds: int,
        learn: bool,
        seed: int,
        kept: Kept,
    ) -> None:
        self._log, self._kept = data, kept
        self.gamma, self.learn, self.seed = gamma, learn, seed
        self.data, self.cut = in_blocks(data)
        if self.data.num_episodes < folds:
            allowed = f"at most {self.data.num_episodes}, the number of episodes"
            raise InputError("folds", allowed, folds)
        self.folds, self.groups = divided(self.data, folds, seed), by_encoder(candidates)
        self._compares = len(candidates) > 1 and not is_image(data.observations)
        self.parts = range(folds + self._compares)
        self._acting = {str(one.encoder) for one in candidates if one.own}
        self.panels: dict[int, Panel] = {}

    @property
    def whole(self) -> int:
        """The part that is all of the log."""
        return len(self.folds)

    @cached_property
    def _maker_of_all(self) -> Maker:
        """Makes candidates from all of the log; the chosen one again, without training again."""
        return Maker(self._log, slice(None), self.seed, self._acting)

    @contextmanager
    def quietly(self) -> Iterator[None]:
        """Work without warnings: what is doubtful is for the judges to find out."""
        with warnings.catch_warnings(), one_thread_each(self.learn):
            warnings.simplefilter("ignore", DataWarning)
            yield

    def prepare_fold(self, fold: int, advance: Advance) -> None:
        """Make the judges of a fold; what they learn is kept."""
        kept = self._kept.judges(fold)
        panel = make_panel(
            as_log(self.data.subset(self.folds[fold].judged_on), self.gamma),
            seed=self.seed + fold,
            learn=self.learn,
            advance=advance,
            kept=kept,
        )
        if kept is None:
            self._kept.put_judges(fold, panel.learnt)
        self.panels[fold] = panel

    def judge_group(self, part: int, number: int) -> list[Heard]:
        """Make a group of candidates from a part, and return what is said of them; keep it."""
        group = self.groups[number]
        known = self._kept.get(part, number)
        if known is not None:
            return known
        made = {id(one): policy for one, policy in self.maker(part).policies(group)}
        policies = [made[id(candidate)] for candidate in group]
        actors = [one for one in policies if isinstance(one, Policy)]
        judged = part < self.whole
        outside = iter(self.panels[part].opinions(actors) if judged and actors else [])
        inside = iter(self._inside(part, actors))
        found = []
        for one in policies:
            if isinstance(one, Withheld):
                found.append(Heard(dict.fromkeys(JUDGES, one) if judged else {}, (), made=False))
            else:
                found.append(Heard(next(outside, {}), next(inside), made=True))
        self._kept.put(part, number, found)
        return found

    def maker(self, part: int) -> Maker:
        """Return who makes candidates from a part of the log."""
        if part == self.whole:
            return self._maker_of_all
        rows = self.folds[part].made_from
        return Maker(self.data.subset(rows), rows, self.seed, self._acting)

    def _inside(self, part: int, actors: Sequence[Policy]) -> list[tuple[Simulated, ...]]:
        """Return what policies earn in simulators of the episodes that they are made from."""
        if not (self._compares and actors):
            return [()] * len(actors)
        folds = [fold for fold in range(len(self.folds)) if fold != part]
        starts = 2 * STARTS // max(2, len(folds))
        return list(zip(*(self.panels[fold].simulated(actors, starts) for fold in folds)))
