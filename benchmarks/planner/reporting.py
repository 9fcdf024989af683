"""The page and the README's table, made from the rows."""

from __future__ import annotations

from typing import Any

from .families import FAMILIES
from .peers import TITLES
from .questions import Cell, Question
from .rows import BEFORE, FIRST, OURS, Results, Row
from .summary import cells_of, ratios, seconds, short, size

BEGIN, END = "<!-- begin planner benchmark -->", "<!-- end planner benchmark -->"
USUAL, FAR = Question(), Question(gamma=0.999)
UNMEASURED = "not run"


def page(results: Results, about: dict[str, Any]) -> str:
    """Return the whole page as Markdown."""
    lines = [
        "# Planner benchmark",
        "",
        f"`{about['command']}`, page of commit `{about['commit']}`, {about['processor']}, "
        f"{about['cores']} cores, load {about['load']:.1f} at the start, Python "
        f"{about['python']}, "
        + ", ".join(f"{name} {number}" for name, number in about["versions"].items())
        + f"{_minutes(about)}. One row per solver and cell: "
        "[planner.jsonl](planner.jsonl).",
        *_other_commits(results, about["commit"]),
        "",
        "## Over all families",
        "",
        "Certified to 1e-3, cost 1, MDP solved before; QuantEcon's modified policy iteration.",
        "",
        *summary_table(results),
        "",
        *_more_figures(results),
        "",
        *_promises(results),
        "",
        "Seconds are wall-clock, from V = 0: ours the median of several runs before and after the "
        "peers, which run once. Logs of games differ from those of `--development` in their "
        "seeds only (pictures: in the game too). The peers' matrices are "
        "prepared before their time is taken; for ours, `MDP solved before` is the same: what "
        "depends on the graph alone is kept from an earlier plan, nothing else is. A `first "
        "plan` prepares everything. `>`: the peer was stopped, the figure is a lower bound. "
        "The planner's settings were chosen on MDPs of other seeds and parameters "
        "(`--development`).",
        "",
    ]
    for states in sorted({cell.states for cell in results.cells()}):
        lines += [f"## {size(states)} states", "", *_by_family(results, states), ""]
    lines += _objectives(results)
    return "\n".join([*lines, *_families(results)])


def summary_table(results: Results) -> list[str]:
    """Return the figures that lead: the worst and the median before the best."""
    lines = [
        "| states | gamma | families | times as fast as QuantEcon: worst | median | best "
        "| our seconds: worst | median |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for states in sorted({cell.states for cell in results.cells()}):
        for question in (USUAL, FAR):
            taken = seconds(results, states, question)
            if taken is None:
                continue
            faster = ratios(results, states, question)
            said = [UNMEASURED] * 3 if faster is None else faster.worst_median_best
            shown = [size(states), f"{question.gamma:g}", str(taken.families), *said]
            lines.append(f"| {' | '.join([*shown, *taken.worst_median_best[:2]])} |")
    return lines


def with_summary(text: str, results: Results, about: dict[str, Any]) -> str:
    """Return a page with what stands between its two marks made anew."""
    if BEGIN not in text or END not in text:
        raise ValueError(f"the page needs the lines {BEGIN} and {END}")
    head, rest = text.split(BEGIN, 1)
    commits = ", ".join(f"`{commit}`" for commit in sorted({row.commit for row in results}))
    source = (
        f"Certified to 1e-3, cost 1, MDP solved before; `{about['command']}`, rows of commit "
        f"{commits}, {about['processor']}, {about['cores']} cores."
    )
    tail = END + rest.split(END, 1)[1]
    return "\n".join([head + BEGIN, *summary_table(results), "", source, tail])


def _more_figures(results: Results) -> list[str]:
    """Return first plans, the other peer, and re-plans over all families."""
    lines = ["| figure | families | worst | median | best |", "|---|---:|---:|---:|---:|"]
    for states in sorted({cell.states for cell in results.cells()}):
        where = f"{size(states)} states, gamma 0.99"
        found = {
            f"{where}: first plan, times as fast as QuantEcon": ratios(
                results, states, USUAL, ours=FIRST
            ),
            f"{where}: MDP solved before, times as fast as mdpsolver": ratios(
                results, states, USUAL, "mdpsolver"
            ),
            f"{where}: first plan, our seconds": seconds(results, states, USUAL, FIRST),
        }
        for title, spread in found.items():
            if spread is not None:
                shown = [title, str(spread.families), *spread.worst_median_best]
                lines.append(f"| {' | '.join(shown)} |")
    return lines


def _minutes(about: dict[str, Any]) -> str:
    """Return how long a run took; nothing where the page was made of earlier rows."""
    minutes = about["seconds"] / 60.0
    return f"; {minutes:.0f} minutes" if minutes >= 1.0 else ""


def _other_commits(results: Results, commit: str) -> list[str]:
    others = sorted({row.commit for row in results} - {commit})
    if not others:
        return []
    count = sum(row.commit in others for row in results)
    return ["", f"{count} of {len(results)} rows are of earlier runs: commits {', '.join(others)}."]


def _promises(results: Results) -> list[str]:
    ours = [row for row in results if row.solver in OURS]
    if not ours:
        return []
    worst = max(ours, key=lambda row: row.true_error or 0.0)
    broken = [row for row in ours if not row.bounds_hold]
    unfinished = [row for row in ours if row.stopped]
    held = "The bounds held in all." if not broken else f"BOUNDS BROKEN: {_list(broken)}."
    lines = [
        f"Of our {len(ours)} rows, the largest true error was {short(worst.true_error or 0.0)} of "
        f"the tolerance ({worst.family}, {size(worst.states)}, {worst.cell.question}). {held}"
    ]
    if unfinished:
        lines.append(f"Tolerance not reached: {_list(unfinished)}.")
    slower = []
    for cell in results.cells():
        far = Cell(cell.family, cell.states, FAR)
        near, row = results.of(cell, BEFORE), results.of(far, BEFORE)
        if cell.question == USUAL and near and row and row.seconds > 3.0 * near.seconds:
            times = short(row.seconds / near.seconds)
            slower.append(f"{cell.family} {size(cell.states)} ({times} times)")
    said = ", ".join(slower) if slower else "none"
    return [*lines, f"At gamma 0.999 more than 3 times the time at 0.99: {said}."]


def _list(rows: list[Row]) -> str:
    return "; ".join(f"{row.family} {size(row.states)} {row.cell.question}" for row in rows)


def _by_family(results: Results, states: int) -> list[str]:
    lines = [
        "| family | actions | gamma | MDP solved before, s | first plan, s | QuantEcon, s | times "
        "| mdpsolver, s | times | true error | certified | QuantEcon's error | sweeps |",
        "|---" * 13 + "|",
    ]
    for cell in results.cells():
        before, first = (results.of(cell, solver) for solver in (BEFORE, FIRST))
        plain = cell.question == Question(gamma=cell.question.gamma)
        if cell.states != states or not plain or before is None or first is None:
            continue
        shown = [cell.family, str(before.actions), f"{cell.question.gamma:g}"]
        shown += [_seconds(before), _seconds(first)]
        for peer in TITLES:
            theirs, ratio = results.of(cell, peer), results.ratio(cell, peer)
            mark = ">" if theirs is not None and theirs.stopped else ""
            shown += [_seconds(theirs), "" if ratio is None else mark + short(ratio)]
        theirs = results.of(cell, "quantecon")
        errors = [before.true_error, before.certified_error, theirs and theirs.true_error]
        shown += ["" if error is None else f"{error:.2g}" for error in errors]
        lines.append(f"| {' | '.join([*shown, str(before.sweeps)])} |")
    return lines


def _objectives(results: Results) -> list[str]:
    """Return the seconds of re-plans, a column for each question."""
    states = min((cell.states for cell in results.cells()), default=0)
    asked = list(dict.fromkeys(cell.question for cell in results.cells() if cell.states == states))
    lines = [
        f"## Another objective, {size(states)} states, MDP solved before, seconds",
        "",
        f"| family | {' | '.join(map(str, asked))} |",
        "|---" * (len(asked) + 1) + "|",
    ]
    for family in dict.fromkeys(cell.family for cell in cells_of(results, states, USUAL)):
        rows = [results.of(Cell(family, states, question), BEFORE) for question in asked]
        lines.append(f"| {family} | {' | '.join(map(_seconds, rows))} |")
    return [*lines, ""]


def _families(results: Results) -> list[str]:
    lines = ["## The families", "", "| name | what |", "|---|---|"]
    names = dict.fromkeys(cell.family for cell in results.cells())
    return [*lines, *(f"| {name} | {FAMILIES[name].about} |" for name in names), ""]


def _seconds(row: Row | None) -> str:
    if row is None:
        return ""
    mark = ">" if row.stopped else ""
    return f"{mark}{row.seconds:.3f}" if row.seconds < 10 else f"{mark}{row.seconds:.1f}"
