"""The numbers that make the neighbour search fast; none of them changes an exact answer.

Each stands with its unit. They were measured by

- [N] `python -m benchmarks.neighbors`: engines side by side, graphs of all sizes, serving;
- [U] `python -m benchmarks.updates`: appending to and forgetting from compiled models.

To try others, give the functions of this room a `Tuning` of your own.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """The numbers of the neighbour search.

    Attributes:
        block_states: core states that are searched, and stored for resuming, at once. [N]
        trial_states: core states on which engines are timed. [N]
        trial_run_states: neighbouring core states of that sample that follow each other. [N]
        trial_first_step: core states of a trial's first, shortest step. [N]
        trial_seconds: after which the tree's trial stops. [N]
        trial_far_behind: times the tree's trial, after which the other engine's stops. [N]
        trial_least_lookups: below this nothing is timed. [N]
        very_narrow: dimensions up to which the tree was faster on every kind of data. [N]
        served_narrow: dimensions up to which the tree serves single queries. [N]
        served_few: rows up to which the tree serves single queries. [N]
        served_trial: queries on which serving is timed. [N]
        served_k: neighbours of such a query. [N]
        wide: dimensions above which data count as wide. [N]
        leaf_dimensions: most filter coordinates of a tree's points. [N]
        box_dimensions: filter coordinates of its boxes. [N]
        wide_box_dimensions: the same for wide data. [N]
        small_batch: queries up to which neither ordering nor sharing them pays. [N]
        dense_variance: share of the variance that filter coordinates of wide data hold. [N]
        dense_queries: query points of one matrix product. [N]
        dense_rows: rows of one matrix product. [N]
        outlier_gap: times the typical gap to the centre, beyond which a row is far out. [N]
        most_outliers: with more of them, they are not what others are protected from. [N]
        outlier_sample: rows that tell the typical gap. [N]
        projection_rows: fewest rows that decide the projection. [N]
        projection_rows_per_dimension: further ones for each dimension. [N]
        most_projection_rows: most rows that decide it. [N]
        most_rows_if_wide: most that decide it where there are more dimensions than this; time
            grows with the cube of the rows or of the dimensions, whichever are fewer. [N]
        product_numbers: float64 numbers of a block that is projected by a matrix product. [N]
        product_dimensions: above this a matrix product projects; below, its threads would go
            on waiting for more, in the way of ours. [N]
        torch_spare: rows kept beyond k, so that rounding and ties seldom need a second search.
        torch_queries: query points of one matrix product on a GPU.
        torch_rows: rows of one matrix product on a GPU.
        recall_states: core states on which the recall of HNSW is measured. [N]
        recall_target: share of the true neighbours that HNSW has to find. [N]
        hnsw_links: links of a row (M). [N]
        hnsw_build_effort: candidates kept while building (efConstruction). [N]
        hnsw_first_effort: candidates kept while searching (efSearch), doubled to the target. [N]
        hnsw_largest_effort: where doubling ends. [N]
        most_cached_bytes: of the features of all rows; the indexes of larger data are let go. [U]
        spare_lookups: rows asked for beyond k, in place of those that were removed. [U]
        least_covered: share of all rows that cached indexes must hold. [U]
        least_part_states: states whose lists one thread searches in one go, at least. [U]
        most_part_states: states whose lists are renewed or searched in one go, at most. [U]
    """

    block_states: int = 32_768
    trial_states: int = 2000
    trial_run_states: int = 250
    trial_first_step: int = 50
    trial_seconds: float = 5.0
    trial_far_behind: float = 5.0
    trial_least_lookups: int = 200_000
    very_narrow: int = 8
    served_narrow: int = 16
    served_few: int = 2000
    served_trial: int = 20
    served_k: int = 11
    wide: int = 64
    leaf_dimensions: int = 128
    box_dimensions: int = 8
    wide_box_dimensions: int = 32
    small_batch: int = 16
    dense_variance: float = 0.95
    dense_queries: int = 512
    dense_rows: int = 16_384
    outlier_gap: float = 32.0
    most_outliers: int = 4096
    outlier_sample: int = 1000
    projection_rows: int = 1000
    projection_rows_per_dimension: int = 50
    most_projection_rows: int = 10_000
    most_rows_if_wide: int = 1500
    product_numbers: int = 4_000_000
    product_dimensions: int = 64
    torch_spare: int = 16
    torch_queries: int = 4096
    torch_rows: int = 65_536
    recall_states: int = 1000
    recall_target: float = 0.99
    hnsw_links: int = 16
    hnsw_build_effort: int = 100
    hnsw_first_effort: int = 48
    hnsw_largest_effort: int = 6144
    most_cached_bytes: int = 1 << 27
    spare_lookups: int = 4
    least_covered: float = 0.8
    least_part_states: int = 256
    most_part_states: int = 8192


TUNING = Tuning()
