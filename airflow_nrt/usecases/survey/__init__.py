"""Which Flink scripts and PyFlink programs of a directory run here, and which do not."""
