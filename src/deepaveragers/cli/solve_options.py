"""The options of solve: what they are called and what their help says."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Discount = Annotated[float, typer.Option(help="Discount, in [0, 0.9999999].")]
Cost = Annotated[
    float | None,
    typer.Option(
        help="Price of one unit of distance to the data; by default the deviation of the "
        "logged returns over the spread of the states."
    ),
]
Weighting = Annotated[str, typer.Option(help="'inverse' or 'uniform'.")]
FewerNeighbors = Annotated[
    int | None,
    typer.Option(help="Use fewer neighbours than compiled; of data, as many (else 5)."),
]
ForbiddenActions = Annotated[
    list[str] | None,
    typer.Option(
        help="An action never to take, or COLUMN=LOW:HIGH of continuous ones; may be repeated."
    ),
]
ActionPenalty = Annotated[
    list[str] | None,
    typer.Option(
        help="ACTION=PRICE of taking it once; of a column's square where actions are continuous; "
        "may be repeated."
    ),
]
MaskFile = Annotated[
    Path | None,
    typer.Option(
        help="Which actions each core state has: a .npy file [N, A], or a table with a row "
        "per transition and a column of 1 and 0 per action, named as it is."
    ),
]
LeastSupport = Annotated[
    float,
    typer.Option(
        help="Only actions that the data take in similar states, at least this share of the "
        "likeliest one's times; in [0, 1]."
    ),
]
RewardsFile = Annotated[
    Path | None,
    typer.Option(help="Other rewards: a .npy file [N], or a table, a row per transition."),
]
RewardColumn = Annotated[
    str | None, typer.Option(help="The column of that table, if it has several.")
]
Slip = Annotated[float, typer.Option(help="Chance of a random action to plan for.")]
ActionNoise = Annotated[
    float,
    typer.Option(help="Deviation of noise on actions that are rows, in units of their range."),
]
WorstCase = Annotated[float, typer.Option(help="Weight of the worst neighbour, in [0, 1].")]
Horizon = Annotated[int | None, typer.Option(help="Plan for this many steps only.")]
Penalty = Annotated[str, typer.Option(help="'linear' (by cost) or 'adaptive'.")]
Tolerance = Annotated[
    float,
    typer.Option(help="Certified error, relative to the largest value of one step / (1 - gamma)."),
]
TimeBudget = Annotated[float | None, typer.Option(help="Seconds that it may take.")]
StartPlan = Annotated[
    Path | None,
    typer.Option(
        help="A plan whose policy is tried first: of this model, or of one of the same size. "
        "What is certified does not depend on it, only the time."
    ),
]
