"""Columns of the state between micro-batches, in addition to those of the report."""

SLICE, FROM, LATE = "_nrt_slice", "_nrt_from", "_nrt_late"
GENERATION, EXPIRES = "_nrt_life", "_nrt_stays"
CARRY = "_nrt_carry_"
"""The names of BIGINT columns begin so that files of earlier versions do not have: they are NULL there."""
