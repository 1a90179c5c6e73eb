"""Columns of what is stored between micro-batches, beside those of the report."""

SLICE, FROM, LATE = "_nrt_slice", "_nrt_from", "_nrt_late"
LIFE, STAYS = "_nrt_life", "_nrt_stays"
