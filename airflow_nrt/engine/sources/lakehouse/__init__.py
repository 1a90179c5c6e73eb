"""Tables of a lakehouse as sources: a split is a data file, in the order of the table's versions."""
