"""Golden values for the ladder's ratings, by choix 0.4.1 (https://pypi.org/project/choix/).

    python3 -m venv /tmp/choix && /tmp/choix/bin/pip install choix==0.4.1
    /tmp/choix/bin/python arena/tests/choix/golden.py > arena/tests/choix/golden.json

With `--check` it compares instead of printing. Every count is even: the Rust side halves it between the colours.
"""

import json
import pathlib
import sys

import choix
import numpy

TABLES = [
    [[0, 14], [6, 0]],
    [[0, 12, 16], [8, 0, 10], [4, 10, 0]],
    [[0, 30, 44, 18], [10, 0, 22, 26], [6, 18, 0, 20], [2, 14, 20, 0]],
    [[0, 6, 0, 0, 2], [4, 0, 8, 0, 0], [0, 2, 0, 10, 0], [0, 0, 4, 0, 6], [2, 0, 0, 2, 0]],
]


def strengths(table):
    wins = [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    found = choix.opt_pairwise(len(table), wins, alpha=0.0, method="Newton-CG", tol=1e-12)
    return list(found - numpy.mean(found))


cases = [{"wins": table, "strengths": strengths(table)} for table in TABLES]
if "--check" in sys.argv:
    stored = json.loads((pathlib.Path(__file__).parent / "golden.json").read_text())
    for ours, theirs in zip(stored, cases, strict=True):
        assert numpy.allclose(ours["strengths"], theirs["strengths"], atol=1e-6), (ours, theirs)
    print("the golden values are those of choix")
else:
    print(json.dumps(cases, indent=1))
