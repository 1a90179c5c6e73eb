"""How the position of a stream follows from entries: watermarks, what is due, versions, kinds of state."""
