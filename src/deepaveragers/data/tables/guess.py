"""A guess at what the columns of a table mean, for a person to check."""

from __future__ import annotations

import re
from typing import Any

from .observation_column import MOST_CATEGORIES
from .survey import ColumnSummary, Survey

WORDS = {
    "propensity": ("propensity", "pscore"),
    "reward": (
        "reward", "click", "profit", "margin", "revenue", "return", "gain", "utility", "paid",
        "payout", "payoff", "payment", "earned", "earnings", "score",
    ),
    "terminated": (
        "terminated", "terminal", "outcome", "died", "death", "discharged", "discharge", "done",
        "end", "failed", "failure", "churned", "unsubscribed", "cancelled",
    ),
    "truncated": ("truncated", "timeout", "censored"),
    "time": (
        "timestamp", "time", "datetime", "charttime", "date", "step", "hour", "day", "t", "index",
    ),
    "episode": (
        "episode", "trajectory", "traj", "run", "patient", "subject", "stay", "encounter",
        "admission", "session", "visit", "case", "customer", "night", "shift", "trip", "batch",
    ),
    "action": (
        "action", "drug", "treatment", "medication", "dose", "arm", "decision", "intervention",
        "choice", "item", "coupon", "offer", "promotion", "campaign", "setting", "mode", "command",
    ),
}  # fmt: skip
"""Words in the names of columns, the likelier first; the roles in the order of the guesses."""
KINDS = {
    "propensity": ("number",),
    "reward": ("number", "whole number", "flag"),
    "terminated": ("flag", "text"),
    "truncated": ("flag",),
    "time": ("date", "number", "whole number"),
    "episode": ("text", "whole number"),
    "action": ("text", "whole number", "flag"),
}
"""What a column of each role may hold."""
COSTS = ("cost", "costs", "expense", "expenses", "loss", "losses", "penalty")
"""Words in the names of columns of which less is better."""
UNKNOWN = "COLUMN"
"""Stands for a column that could not be guessed."""
NOTHING = ("NA", "N/A", "NaN", "null")
"""What stands for a missing value in most tables."""
MOST_ACTIONS = 256
FEWEST_ROWS = 2
"""Rows that a text must have on average to be the name of an episode."""
FEW_EPISODES = 2
"""Names, up to which another text that names more episodes is the likelier one."""
MOSTLY = 0.5
"""Share of rows in which a text must be blank to be a mark of the end."""


def is_cost(name: str) -> bool:
    """Whether a column is called a cost."""
    return not set(COSTS).isdisjoint(_words(name))


def guessed(survey: Survey) -> dict[str, Any]:
    """Return fields of a `TableMapping` as they may be meant; `UNKNOWN` where nothing fits."""
    taken: dict[str, ColumnSummary] = {}
    for role in WORDS:
        names = {one.name for one in taken.values()}
        found = _likeliest(role, [one for one in survey.columns if one.name not in names], survey)
        if found is not None:
            taken[role] = found
    taken |= _costs(_free(survey, taken)) if "reward" not in taken else {}
    if taken.get("episode") is not None and _poor_name(taken["episode"]):
        taken |= _names_of_episodes(_free(survey, taken), survey)
    if not {"episode", "propensity"} & taken.keys():
        taken |= _names_of_episodes(_free(survey, taken), survey)
    if "reward" not in taken:
        taken |= _paid_at_ends(_free(survey, taken), taken.get("episode"))
    if "terminated" not in taken:
        taken |= _rare_texts(_free(survey, taken), survey)
    if not {"terminated", "truncated"} & taken.keys():
        taken |= _ends_of_pay(taken)
    fields: dict[str, Any] = {
        role: taken[role].name if role in taken else UNKNOWN
        for role in ("episode", "time", "action", "reward", "terminated", "truncated", "propensity")
        if role in taken or role in ("action", "reward")
    }
    alone = "propensity" in taken and "episode" not in taken
    if alone:
        fields["each_row_ends"] = True
        fields.pop("terminated", None)
        fields.pop("truncated", None)
    elif not {"episode", "terminated", "truncated"} & taken.keys():
        fields["one_series"] = True
    if "reward" in taken and taken["reward"].missing:
        fields["reward_fill"] = 0
    if "reward" in taken and is_cost(taken["reward"].name):
        fields["reward_scale"] = -1
    others = [one for one in survey.columns if one.name not in fields.values() and not one.index]
    if any(one.missing and one.kind != "empty" for one in others):
        fields["fill"] = "mean" if alone else "forward"
    if any(one.decimal_comma for one in survey.columns):
        fields["decimal"] = ","
    placeless = any(taken[role].missing for role in ("episode", "time") if role in taken)
    if survey.totals is not None or placeless:
        fields["missing"] = "drop"
    words = [text for name, text in (survey.totals or {}).items() if name != fields.get("episode")]
    if words:
        fields["missing_values"] = ",".join([*NOTHING, *words])
    time = taken.get("time")
    if time is not None and time.date_formats:
        fields["time_format"] = time.date_formats[0]
    return fields


def _likeliest(role: str, columns: list[ColumnSummary], survey: Survey) -> ColumnSummary | None:
    fitting = [one for one in columns if one.kind in KINDS[role] and _fits(role, one, survey)]
    for word in WORDS[role]:
        for column in fitting:
            if word in _words(column.name):
                return column
    dates = [one for one in fitting if one.kind == "date"]
    return dates[0] if role == "time" and len(dates) == 1 else None


def _free(survey: Survey, taken: dict[str, ColumnSummary]) -> list[ColumnSummary]:
    """Return the columns that have no meaning yet."""
    return [one for one in survey.columns if one not in taken.values()]


def _costs(columns: list[ColumnSummary]) -> dict[str, ColumnSummary]:
    """Return the only column of costs as the reward."""
    found = [one for one in columns if one.kind in KINDS["reward"] and is_cost(one.name)]
    return {"reward": found[0]} if len(found) == 1 else {}


def _paid_at_ends(
    columns: list[ColumnSummary], episode: ColumnSummary | None
) -> dict[str, ColumnSummary]:
    """Return the only numbers that stand at the ends of episodes and nowhere else as the reward."""
    found = [
        one
        for one in columns
        if episode and one.kind in ("number", "whole number") and episode.name in one.closes
    ]
    return {"reward": found[0]} if len(found) == 1 else {}


def _ends_of_pay(taken: dict[str, ColumnSummary]) -> dict[str, ColumnSummary]:
    """Return the reward as the mark of the end, too, if it stands at the ends of episodes only."""
    reward, episode = taken.get("reward"), taken.get("episode")
    at_ends = reward is not None and episode is not None and episode.name in reward.closes
    return {"terminated": taken["reward"]} if at_ends else {}


def _names_of_episodes(columns: list[ColumnSummary], survey: Survey) -> dict[str, ColumnSummary]:
    """Return the only text of too many values for an observation as the episode."""
    found = [
        one
        for one in columns
        if one.kind == "text"
        and MOST_CATEGORIES < one.distinct <= survey.rows / FEWEST_ROWS
        and not one.missing
    ]
    return {"episode": found[0]} if len(found) == 1 else {}


def _poor_name(column: ColumnSummary) -> bool:
    """Whether a column that is called like an episode hardly names any: a shift, day or night."""
    return column.missing > 0 or column.distinct <= FEW_EPISODES


def _rare_texts(columns: list[ColumnSummary], survey: Survey) -> dict[str, ColumnSummary]:
    """Return the only text of few values that is blank in most rows as the end."""
    found = [
        one
        for one in columns
        if one.kind == "text"
        and one.distinct <= MOST_CATEGORIES
        and one.missing > survey.rows * MOSTLY
    ]
    return {"terminated": found[0]} if len(found) == 1 else {}


def _words(name: str) -> list[str]:
    """Return the words of a name in lower case; they may begin where its writing changes."""
    return re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())


def _fits(role: str, column: ColumnSummary, survey: Survey) -> bool:
    if role == "action":
        return 1 < column.distinct <= MOST_ACTIONS
    if role == "episode":
        return column.distinct < survey.rows and not column.index
    # A text that stands in every row of many kinds is no outcome.
    return not (
        role == "terminated" and column.kind == "text" and column.distinct > MOST_CATEGORIES
    )
