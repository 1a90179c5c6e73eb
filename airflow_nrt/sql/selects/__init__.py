"""A SELECT over one relation without GROUP BY: its columns, its rankings, its order, IN and EXISTS in it."""
