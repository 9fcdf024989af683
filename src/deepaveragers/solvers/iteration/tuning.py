"""The numbers of the planner, in one record.

`guess_ratio` and `linearized_patience` were set on the development families, `plain_sweeps` on
random logs of Acrobot, MountainCar and CartPole and on synthetic walks; the others come from
version 0.1, set on CartPole and one synthetic family. Check a change by
`python -m benchmarks.planner --development`, whose problems the report leaves out.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tuning:
    """How the planner goes about its work; none of it can change what a certificate claims.

    Attributes:
        single_block_states: states up to which one block is quicker than handing work to threads.
        blocks: blocks of states otherwise; fixed, so that bits do not depend on threads.
        part_states: states of all blocks that are swept before blocks exchange values.
        most_parts: parts of a block at most.
        order_states: states below which their own numbers are quick enough as positions.
        placed_states: states below which all values stay in the nearest caches, wherever they
            stand; with more, those that are read together stand together.
        packed_states: states below which float64 sweeps over the graph alone are as quick as
            packing it first.
        mixed_results: results that Anderson acceleration mixes.
        sweeps_per_mixture: sweeps before each mixture.
        progress_ratio: a change is progress if it is below this multiple of the smallest before.
        patience_of_mixtures: mixtures without progress after which a system is left as it is.
        plain_sweeps: sweeps over a policy's system before paths are eliminated from it; and all
            that the first policy of a guess gets, since the next is far better.
        main_share: share of a row's weights from which on its state is passed through.
        kept_share: share of kept states up to which eliminating paths pays.
        accepted_change: accept the reduced solve if a full sweep then changes values by at most
            this multiple of the target, since another sweep follows anyway.
        states_per_call: states swept in a kernel before the clock and the keyboard are looked at.
        most_rounds: rounds in one call of a kernel at most.
        guess_ratio: a policy of the guess is evaluated until a sweep changes values by this
            share of what the improvement changed.
        first_ratio: the policy of an earlier plan: by this share of |T 0|.
        guess_enough: change of a sweep at which a guess is good enough, as a share of
            `Target.change_allowed`: the sweep that proves it changes no more than the last.
        evaluation_floor: a policy is evaluated no further than to this change, the same share.
        float32_noise: changes by this share of the largest value may be rounding.
        guess_sweeps: improvements of a guess at most.
        guess_distinct: changes that are this multiple of the noise may grow for a while.
        guess_patience: improvements without progress after which float64 goes on.
        linearized_patience: the same with slip or worst case, where large changes may go on.
        evaluation_ratio: in float64, a policy is evaluated until a sweep changes values by this
            share of its first residual.
        better_bounds: bounds count as better if they are below this multiple of the best before.
        patience: float64 sweeps without better bounds after which policies are left unevaluated.
        first_pause: sweeps without evaluation then; doubled every time.
        most_kept_bytes: a larger packed MDP is made anew for each solve.
    """

    single_block_states: int = 20_000
    blocks: int = 4
    part_states: int = 25_000
    most_parts: int = 8
    order_states: int = 2_000
    placed_states: int = 200_000
    packed_states: int = 2_000
    mixed_results: int = 5
    sweeps_per_mixture: int = 3
    progress_ratio: float = 0.9
    patience_of_mixtures: int = 50
    plain_sweeps: int = 12
    main_share: float = 0.99
    kept_share: float = 0.6
    accepted_change: float = 3.0
    states_per_call: int = 1_000_000
    most_rounds: int = 64
    guess_ratio: float = 0.15
    first_ratio: float = 0.3
    guess_enough: float = 0.8
    evaluation_floor: float = 0.5
    float32_noise: float = 1e-6
    guess_sweeps: int = 60
    guess_distinct: float = 1e4
    guess_patience: int = 8
    linearized_patience: int = 16
    evaluation_ratio: float = 0.005
    better_bounds: float = 0.95
    patience: int = 12
    first_pause: int = 8
    most_kept_bytes: int = 2 << 30


TUNING = Tuning()
