"""The stub is that of the compiled half, and the package is typed."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "check",
    [
        ["mypy.stubtest", "hotstone._hotstone"],
        ["mypy", "--disallow-untyped-defs", "--ignore-missing-imports", "--package", "hotstone"],
    ],
    ids=["stub", "types"],
)
def test_types(check, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", *check], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
