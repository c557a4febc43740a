"""Counts of move sequences, from the files that the engine is tested with."""

from pathlib import Path

import pytest

from hotstone import Position, Rules, variants

FOLDER = Path(__file__).parents[2] / "engine" / "tests" / "perft"
FILES = sorted(FOLDER.glob("*.perft"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_rule_set_counts_as_its_file_says(file):
    lines = [line.split() for line in file.read_text().splitlines() if line[:1] not in ("", "#")]
    assert lines
    for size, depth, count in lines:
        position = Position(Rules(file.stem, size))
        assert position.perft(int(depth)) == int(count), f"{file.stem} on {size}, depth {depth}"


def test_every_variant_has_a_file():
    assert {file.stem for file in FILES} >= set(variants())
