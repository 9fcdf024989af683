"""What can go wrong, and how it is said.

    DeepAveragersError
    ├── InputError (also a ValueError)      an argument or a dataset that cannot be used
    ├── StorageError (also an OSError)      a path that cannot be read or written
    │   └── BundleError                     a bundle that is damaged, foreign or too new
    ├── ClusterError (also a RuntimeError)   work on a cluster that cannot go on
    ├── TrainingDiverged (also an ArithmeticError)   a network's values left all bounds
    └── MissingExtraError (also an ImportError)   an optional component is not installed

    DataWarning (a UserWarning)             data that can be used, but hardly as it is meant
    KernelCacheWarning (a RuntimeWarning)   compiled kernels that cannot be kept

Every message names the parameter, what is allowed, what came, and what to do.
"""

from __future__ import annotations

from .printable import printable


class DeepAveragersError(Exception):
    """Anything that this package raises on purpose."""

    def __str__(self) -> str:
        return printable(super().__str__())


class InputError(DeepAveragersError, ValueError):
    """An argument or a dataset that cannot be used."""

    def __init__(self, parameter: str, allowed: str, received: object, remedy: str = "") -> None:
        self.parameter, self.allowed = parameter, allowed
        self.received, self.remedy = received, remedy
        message = f"{parameter} must be {allowed}; received {received}."
        super().__init__(f"{message} {remedy}".strip())


class DataWarning(UserWarning):
    """Data that can be used, but probably have a defect."""


class KernelCacheWarning(RuntimeWarning):
    """Compiled kernels cannot be kept: everything works, but every process compiles them anew."""


class StorageError(DeepAveragersError, OSError):
    """A path that cannot be read or written."""


class BundleError(StorageError):
    """A bundle that is damaged, of another program, or of a newer version."""


class TrainingDiverged(DeepAveragersError, ArithmeticError):
    """The loss is not finite, or Q-values are far beyond any possible return."""


class ClusterError(DeepAveragersError, RuntimeError):
    """Work on a cluster that cannot continue: nodes keep failing, or there are none."""


class MissingExtraError(DeepAveragersError, ImportError):
    """An optional component that is not installed."""

    def __init__(self, component: str, extra: str) -> None:
        super().__init__(
            f"{component} is not installed. Install it with: pip install 'deepaveragers[{extra}]'"
        )
