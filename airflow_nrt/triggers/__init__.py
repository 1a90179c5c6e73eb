"""What watches homes in the triggerer: no trigger decides from the absence of an answer."""
