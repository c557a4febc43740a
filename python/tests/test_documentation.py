"""The examples of the documentation run."""

import doctest
import re
from pathlib import Path

import hotstone
import hotstone.pettingzoo

PAGE = Path(__file__).parents[2] / "docs" / "python.md"


def test_examples_of_the_page():
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(examples) == 2
    for example in examples:
        exec(compile(example, PAGE.name, "exec"), {})


def test_examples_of_the_modules():
    for module in [hotstone, hotstone.pettingzoo]:
        failures, examples = doctest.testmod(module)
        assert examples > 2 and failures == 0
