"""A diagnosis as a page or a picture."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import Float64
from ..errors import StorageError
from ..markup import escaped, list_html
from .findings import Diagnosis

STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;"
    "color:#222}img{max-width:100%}article{border-left:4px solid #c60;padding:.2rem 1rem;"
    "margin:1rem 0;background:#fff8f0}.none{border-color:#282;background:#f2faf2}"
    "small{color:#666}"
)


def write_png(diagnosis: Diagnosis, path: Path) -> None:
    """Write the plots of a diagnosis as a picture."""
    _written(path, _picture(diagnosis))


def write_html(diagnosis: Diagnosis, path: Path) -> None:
    """Write a diagnosis as one self-contained page."""
    picture = base64.b64encode(_picture(diagnosis)).decode()
    page = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Data doctor</title>'
        f"<style>{STYLE}</style><h1>Data doctor</h1>{findings_html(diagnosis)}"
        f'<img alt="returns, lengths and actions" src="data:image/png;base64,{picture}">'
        f"{facts_html(diagnosis)}</html>"
    )
    _written(path, page.encode())


def findings_html(diagnosis: Diagnosis) -> str:
    """Return what was found, as articles."""
    articles = [
        f"<article><h3>{escaped(finding.what)}</h3>"
        f"<small>{escaped(finding.where)} · {finding.certainty}</small>"
        f"<p>{escaped(finding.meaning)}</p><p><b>Fix:</b> {escaped(finding.fix)}</p>"
        "</article>"
        for finding in diagnosis.findings
    ] or ['<article class="none"><p>Nothing suspicious was found.</p></article>']
    return "".join(articles)


def facts_html(diagnosis: Diagnosis) -> str:
    """Return counts and sizes, as a list."""
    return list_html(
        f"{name.replace('_', ' ')}: {value}" for name, value in diagnosis.facts.items()
    )


def _picture(diagnosis: Diagnosis) -> bytes:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3), layout="constrained")
    FigureCanvasAgg(figure)
    axes: Any = figure.subplots(1, 3)
    # Axes end before floats do.
    returns = np.clip(diagnosis.returns, -1e300, 1e300)
    axes[0].hist(returns, bins=_edges(returns), color="#4477aa")
    axes[0].set_xlabel("return of an episode")
    axes[1].hist(diagnosis.lengths, bins=40, color="#4477aa")
    axes[1].set_xlabel("length of an episode")
    axes[2].bar(range(len(diagnosis.action_counts)), diagnosis.action_counts, color="#4477aa")
    axes[2].set_xlabel("action")
    if len(diagnosis.action_counts) and len(diagnosis.action_names) <= 8:
        axes[2].set_xticks(range(len(diagnosis.action_names)), diagnosis.action_names)
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=120)
    return content.getvalue()


def _edges(values: Float64) -> Float64:
    """Return the edges of 40 bins, also of values that are all the same, however large."""
    low, high = values.min(), values.max()
    margin = 0.0 if high > low else max(0.5, abs(low) / 2)
    return np.linspace(low - margin, high + margin, 41)


def _written(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}.") from error
