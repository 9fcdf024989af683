"""From a walk to a compiled model, and from a case to a policy that was chosen fairly."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

import deepaveragers as da

from .cases import NEIGHBORS, POLICY_NEIGHBORS, Case
from .representations import PoseEncoder
from .rollouts import Rollouts, actor, play, starts
from .rooms import NavigationRoom
from .walks import Walk

ACCURACY = 1e-3
"""Largest error of a value; the gaps between actions are some thousandths."""
FIT_FRAMES = 8_000
TIE_NOISE = 3e-3
"""Deviation, in each direction, of the noise that settles ties between equal pictures.

Before a plain wall thousands of pictures are equal, bit for bit. Ties go to the lowest index,
so without noise all of those states would share the same five transitions, wherever these
were made. The whole data has deviation 1; acting adds no noise.
"""
CHOICE_SEED, REPORT_SEED = 1, 5
"""Starts on which k_pi is chosen, and starts that are reported.

Starts 2 and 3 were reported by earlier versions; what they showed decided how k_pi's ties are
broken below, and that the pictures' ties had to be settled above."""


@dataclass(frozen=True, eq=False)
class Model:
    """A compiled walk.

    Attributes:
        mdp: compiled on features.
        encoder: from pictures, or poses, to those features.
        see_pose: whether the encoder wants poses.
        encode_seconds: time to encode all frames.
        search_seconds: time of the neighbour search.
    """

    mdp: da.DacMdp
    encoder: da.Encoder
    see_pose: bool
    encode_seconds: float
    search_seconds: float


def compile_poses(walk: Walk) -> Model:
    """Compile a walk with the true pose as its representation."""
    data = walk.transitions()
    encoder = PoseEncoder()
    features = encoder.encode(data.observations), encoder.encode(data.next_observations)
    return _compile(data, *features, encoder, see_pose=True, encode_seconds=0.0)


def compile_pictures(walk: Walk, encoder: da.Encoder, *, tie_noise: float = TIE_NOISE) -> Model:
    """Compile a walk with random networks; frames are read and encoded chunk by chunk.

    A frame's noise is the same where a step ends and where the next begins: it stays its own
    nearest neighbour.
    """
    began = time.perf_counter()
    generator = np.random.default_rng(walk.seed)
    fitted = encoder.fit(_sample(walk))
    sources, targets = [], []
    for frames, source, target in walk.frames():
        features = fitted.encode(frames)
        features += tie_noise * generator.standard_normal(features.shape, dtype=np.float32)
        sources.append(features[source])
        targets.append(features[target])
    features = np.concatenate(sources), np.concatenate(targets)
    seconds = time.perf_counter() - began
    return _compile(walk.transitions(), *features, fitted, see_pose=False, encode_seconds=seconds)


def _sample(walk: Walk) -> np.ndarray:
    """Return some frames of every chunk."""
    share = FIT_FRAMES // len(walk.chunks)
    parts = []
    for frames, _, _ in walk.frames():
        rows = np.linspace(0, len(frames) - 1, min(share, len(frames))).astype(int)
        parts.append(frames[rows])
    return np.concatenate(parts)


def _compile(
    data: da.Transitions,
    sources: np.ndarray,
    targets: np.ndarray,
    encoder: da.Encoder,
    *,
    see_pose: bool,
    encode_seconds: float,
) -> Model:
    on_features = replace(data, observations=sources, next_observations=targets)
    began = time.perf_counter()
    mdp = da.compile(on_features, k=NEIGHBORS, encoder=da.Identity())
    return Model(mdp, encoder, see_pose, encode_seconds, time.perf_counter() - began)


@dataclass(frozen=True, eq=False)
class Outcome:
    """One case, planned on one model and played.

    Attributes:
        case: what was asked.
        plan: the certified plan.
        policy: with the k_pi that did better on the starts for choosing.
        rollouts: from the reported starts.
    """

    case: Case
    plan: da.Plan
    policy: da.Policy
    rollouts: Rollouts


def plan_case(mdp: da.DacMdp, case: Case, start: da.Plan | None = None) -> da.Plan:
    """Solve the case's objective, to an accuracy in the units of the values."""
    largest = float(np.abs(mdp.transitions.rewards).max())
    tolerance = ACCURACY * (1.0 - case.objective.gamma) / largest
    return mdp.solve(case.objective, tolerance=tolerance, start=start)


def choose_policy(
    model: Model, plan: da.Plan, room: NavigationRoom, case: Case, episodes: int
) -> da.Policy:
    """Return the policy whose k_pi earns more, returns clipped to (-1, 2) as in the paper.

    The larger k_pi wins a tie: it is less often caught before a wall, where neither the
    picture nor the action changes any more.
    """
    resets = starts(episodes, CHOICE_SEED)
    policies = [plan.policy(k=k) for k in sorted(POLICY_NEIGHBORS, reverse=True)]

    def score(policy: da.Policy) -> float:
        played = play(
            room, actor(policy, model.encoder), resets, steps=case.steps, see_pose=model.see_pose
        )
        return float(np.clip(played.returns, -1.0, 2.0).mean())

    return max(policies, key=score)


def run_case(
    model: Model,
    case: Case,
    room: NavigationRoom,
    *,
    episodes: int,
    choosing_episodes: int,
    start: da.Plan | None = None,
    report_seed: int = REPORT_SEED,
) -> Outcome:
    """Plan, choose k_pi, and play from the reported starts."""
    plan = plan_case(model.mdp, case, start)
    policy = choose_policy(model, plan, room, case, choosing_episodes)
    rollouts = play(
        room,
        actor(policy, model.encoder),
        starts(episodes, report_seed),
        steps=case.steps,
        see_pose=model.see_pose,
    )
    return Outcome(case, plan, policy, rollouts)


def play_slipping(
    model: Model,
    outcome: Outcome,
    room: NavigationRoom,
    slip: float,
    report_seed: int = REPORT_SEED,
) -> Outcome:
    """Play an outcome's policy again, from the same starts, where actions slip."""
    rollouts = play(
        room,
        actor(outcome.policy, model.encoder),
        starts(len(outcome.rollouts.returns), report_seed),
        steps=outcome.case.steps,
        see_pose=model.see_pose,
        slip=slip,
    )
    return replace(outcome, rollouts=rollouts)
