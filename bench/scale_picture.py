"""Draws the measurements of bench.scale: seconds and state against what grows, with the line of equal growth.

pip install matplotlib; python -m bench.scale_picture [bench/out/scale/scale.json] [--out docs/explanation/scale.svg]
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot

FIGURES = {"seconds": "seconds, whole process", "state": "bytes of state"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measured", type=Path, nargs="?", default=Path("bench/out/scale/scale.json"))
    parser.add_argument("--out", type=Path, default=Path("docs/explanation/scale.svg"))
    options = parser.parse_args()
    by_axis = defaultdict(list)
    for one in json.loads(options.measured.read_text()):
        by_axis[one["axis"]].append(one)
    figure, panels = pyplot.subplots(1, len(FIGURES), figsize=(9, 3.6))
    for panel, (name, label) in zip(panels, FIGURES.items()):
        for axis, runs in by_axis.items():
            runs.sort(key=lambda one: one["factor"])
            panel.plot([one["factor"] for one in runs], [one[name] / runs[0][name] for one in runs], "o-", label=axis)
        factors = sorted({one["factor"] for runs in by_axis.values() for one in runs})
        panel.plot(factors, factors, ":", color="grey", label="as much more")
        panel.set(xscale="log", yscale="log", xlabel="times as much", title=f"{label}, times the smallest")
        panel.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(options.out, metadata={"Date": None})


if __name__ == "__main__":
    main()
