"""PettingZoo's own tests, and what they do not see."""

import subprocess
import sys

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test

import hotstone
from hotstone import Rules
from hotstone.pettingzoo import env, raw_env


# PettingZoo's own board games also give a dictionary with an action mask as the observation, but
# its test recognises these games by name.
@pytest.mark.filterwarnings(
    "error",
    "ignore:Observation space for each agent probably should be",
    "ignore:Observation is not a NumPy array",
)
@pytest.mark.parametrize("variant", hotstone.variants())
def test_every_variant_passes_the_tests_of_pettingzoo(variant):
    api_test(env(variant, 7), num_cycles=1000)
    seed_test(lambda: env(variant, 5), num_cycles=50)


def test_rendering_passes_the_test_of_pettingzoo():
    render_test(lambda render_mode: env("tile", 5, render_mode=render_mode))


def play(environment, choose):
    environment.reset(seed=1)
    rewards = dict.fromkeys(environment.possible_agents, 0)
    agents = []
    for agent in environment.agent_iter():
        observation, reward, termination, truncation, _ = environment.last()
        rewards[agent] += reward
        if termination or truncation:
            environment.step(None)
            continue
        agents.append(agent)
        environment.step(choose(np.flatnonzero(observation["action_mask"])))
    return rewards, agents, (termination, truncation)


def test_rewards_are_the_results_of_the_rules():
    environment = raw_env("go", 3)
    passing = environment.rules.action("pass")
    rewards, agents, ends = play(environment, lambda legal: passing)
    assert rewards == {"black_0": -1, "white_0": 1} and ends == (True, False)
    assert agents == ["black_0", "white_0"]


def test_an_agent_may_move_twice_in_a_row():
    rules = Rules("go", 5, stones_per_turn=2)
    _, agents, _ = play(env(rules), lambda legal: legal[0])
    assert agents[:5] == ["black_0", "white_0", "white_0", "black_0", "black_0"]


def test_the_move_limit_truncates():
    _, agents, ends = play(env("stoical,max_moves=7", 5), lambda legal: legal[0])
    assert len(agents) == 7 and ends == (False, True)


def test_an_illegal_move_loses_and_raises_without_the_wrapper():
    environment = env("go", 5)
    environment.reset()
    environment.step(0)
    environment.step(0)
    assert environment.rewards["white_0"] == -1
    environment = raw_env("go", 5)
    environment.reset()
    environment.step(0)
    with pytest.raises(hotstone.IllegalMoveError):
        environment.step(0)


def test_who_is_not_to_move_has_no_action():
    environment = raw_env("incursion", 5)
    environment.reset()
    assert environment.observe("black_0")["action_mask"].sum() == 26
    assert not environment.observe("white_0")["action_mask"].any()


def test_rules_have_a_size_of_their_own():
    rules = Rules("tile", "5x4")
    for size in [None, (5, 4), "5x4"]:
        assert raw_env(rules, size).rules == rules
    assert raw_env("tile", (5, 4)).rules == rules
    with pytest.raises(ValueError, match="size 5 is not that of the rules"):
        env(rules, 5)


def test_without_pettingzoo_it_says_what_to_install():
    code = "import sys; sys.modules['gymnasium'] = None; import hotstone.pettingzoo"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1 and "hotstone[pettingzoo]" in done.stderr


def test_there_is_no_other_way_to_render():
    with pytest.raises(ValueError, match="rgb_array"):
        env("go", 5, render_mode="rgb_array")
