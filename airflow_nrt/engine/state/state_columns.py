"""Columns of the state between micro-batches, in addition to those of the report."""

SLICE, FROM, LATE = "_nrt_slice", "_nrt_from", "_nrt_late"
GENERATION, EXPIRES = "_nrt_life", "_nrt_stays"
