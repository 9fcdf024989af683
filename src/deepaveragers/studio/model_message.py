"""A model in figures, for the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import __version__
from ..data.observations import is_image
from ..data.returns import last_rows
from ..solvers.planned_actions import OTHER
from .columns import action_columns, action_counts
from .messages import Model
from .questions import kept_words

if TYPE_CHECKING:
    from .session import Session


def model_message(session: Session) -> Model:
    """Return what the page shows first."""
    data, mdp, columns = session.data, session.mdp, session.columns
    return Model(
        name=session.source.name,
        digest=session.digest,
        states=len(mdp),
        transitions=len(data),
        episodes=data.num_episodes,
        kind="pictures" if is_image(data.observations) else "vector",
        shape=data.observation_shape,
        actions=action_counts(data),
        action_columns=action_columns(data),
        candidates=mdp.graph.indices.shape[1] if data.action_vectors else 0,
        other_action=OTHER,
        columns=columns,
        encoder=type(mdp.encoder).__name__,
        k=mdp.graph.k,
        reward_columns=tuple(column.name for column in columns),
        cut_share=float((~data.terminations[last_rows(data)]).mean()),
        live=session.live,
        question=session.first,
        kept=kept_words(session.base),
        action_noise=session.base.action_noise,
        findings_count=session.findings_count,
        output=str(session.output.resolve()),
        version=__version__,
    )
