"""Any transformer with scikit-learn's `fit` and `transform` as an encoder.

Nothing of scikit-learn is imported: a PCA, a pipeline or an object of one's own will do.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import flag
from ..arrays import Array, Floats
from ..errors import InputError
from .encoder import checked_features


@dataclass(frozen=True, eq=False)
class TransformerEncoder:
    """A transformer over observations as rows [B, D]; pictures become rows of their pixels.

    Attributes:
        transformer: an object with `transform(rows)`, and `fit(rows)` where it is to be fitted.
        refit: fit a copy to the data when compiling; False takes the transformer as it is.
    """

    transformer: Any
    refit: bool = True

    def __post_init__(self) -> None:
        if not callable(getattr(self.transformer, "transform", None)):
            name = type(self.transformer).__name__
            raise InputError("transformer", "an object with a method transform", name)
        flag("refit", self.refit)

    def fit(self, observations: Array) -> TransformerEncoder:
        """Return an encoder with a fitted copy; the transformer that was given stays as it is."""
        if not self.refit or not callable(getattr(self.transformer, "fit", None)):
            return self
        fitted = deepcopy(self.transformer)
        fitted.fit(_rows(observations))
        return TransformerEncoder(fitted, refit=False)

    def encode(self, observations: Array) -> Floats:
        """Return the transformed rows, dense."""
        features = self.transformer.transform(_rows(observations))
        if hasattr(features, "toarray"):
            features = features.toarray()
        return checked_features(features, len(observations))


def _rows(observations: Array) -> Array:
    return np.asarray(observations).reshape(len(observations), -1)
