"""Asks for the verdict of each file in one process, which takes seconds where one a file takes a minute."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from airflow_nrt.cli.answers.verdict import answer
from airflow_nrt.cli.survey.files import files_below
from airflow_nrt.cli.survey.pyflink import ROOT

SETTINGS = json.dumps({"values": {"DATA": "/data"}, "masked": [], "unsafe": []})

if __name__ == "__main__":
    verdicts = {}
    for file in files_below(Path(sys.argv[1])):
        verdicts[file.name] = answer({"file": str(file), "settings": SETTINGS})
        for name in [one for one in sys.modules if one == "udfs" or one.partition(".")[0] == ROOT]:
            del sys.modules[name]
    # Programs print what they like.
    print(json.dumps(verdicts))
