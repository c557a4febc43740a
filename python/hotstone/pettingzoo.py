"""Environments for PettingZoo: `env` and `raw_env` (extra `pettingzoo`).

>>> from hotstone.pettingzoo import env
>>> game = env("incursion", size=7)
>>> game.reset(seed=0)
>>> observation, reward, termination, truncation, info = game.last()
>>> game.step(game.action_space("black_0").sample(observation["action_mask"]))
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError as error:
    raise ImportError(
        f"{error}: install the package as hotstone[pettingzoo], or pettingzoo itself"
    ) from error

from ._hotstone import NUMBER_NAMES, PLANE_NAMES, MoveError, Position, Rules

AGENTS = ["black_0", "white_0"]
RENDER_MODES = ["ansi", "human"]

#: A side, ``(width, height)`` or ``"7x5"``, as `Rules` takes it.
Size = int | str | tuple[int, int]


def env(
    rules: str | Rules = "incursion", size: Size | None = None, *, render_mode: str | None = None
) -> AECEnv:
    """A game with PettingZoo's usual wrappers: an illegal move loses, and steps must come in order."""
    environment = raw_env(rules, size, render_mode=render_mode)
    environment = wrappers.TerminateIllegalWrapper(environment, illegal_reward=-1)
    environment = wrappers.AssertOutOfBoundsWrapper(environment)
    return wrappers.OrderEnforcingWrapper(environment)


class raw_env(AECEnv):
    """A game of two agents, ``black_0`` and ``white_0``.

    An observation has the position's encoding, ``observation`` (planes) and ``numbers``, and ``action_mask``. It is
    encoded from the view of the player to move, whoever asks; to the other agent no action is legal. An agent may be to
    move several times in a row: under rules with several stones a turn.

    The winner's reward is 1, the loser's -1. A game that reaches the move limit of its rules (`max_moves`) is truncated,
    and rewarded by what the rules say about the board as it stands.
    """

    metadata = {
        "name": "hotstone_v0",
        "render_modes": RENDER_MODES,
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self,
        rules: str | Rules = "incursion",
        size: Size | None = None,
        *,
        render_mode: str | None = None,
    ) -> None:
        """`rules`: Rules, which have a size, or a variant's name with changes to it for a board of `size`, 9 if left out.
        `render_mode`: ``"ansi"``, to get the board as text, ``"human"``, to print it after every step, or None."""
        if render_mode not in (None, *RENDER_MODES):
            raise ValueError(
                f"invalid render_mode {render_mode!r}: expected 'ansi', 'human' or None"
            )
        self.rules = rules if isinstance(rules, Rules) else Rules(rules, size)
        if size is not None and Rules(self.rules.text, size).size != self.rules.size:
            raise ValueError(
                f"size {size!r} is not that of the rules, {self.rules.size}: leave it out"
            )
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        width, height = self.rules.size
        observation: dict[str, spaces.Space[Any]] = {
            "observation": spaces.Box(0, 1, (len(PLANE_NAMES), height, width), np.float32),
            "numbers": spaces.Box(-np.inf, np.inf, (len(NUMBER_NAMES),), np.float32),
            "action_mask": spaces.Box(0, 1, (self.rules.actions,), np.int8),
        }
        self.observation_spaces = {agent: spaces.Dict(observation) for agent in AGENTS}
        self.action_spaces = {agent: spaces.Discrete(self.rules.actions) for agent in AGENTS}

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a game. Nothing in it is random, so the seed changes nothing."""
        self.position = Position(self.rules)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = self._to_play()

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        planes, numbers = self.position.encode()
        mask = self.position.legal_mask().astype(np.int8)
        if agent != self._to_play():
            mask[:] = 0
        return {"observation": planes, "numbers": numbers, "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Plays an action. Raises hotstone.MoveError."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise MoveError("the game is not over: expected an action, not None")
        self.position = self.position.play(action)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        result = self.position.result
        if result is not None:
            self.rewards = dict(zip(AGENTS, (result, -result)))
            ends = self.truncations if self.position.reason == "move limit" else self.terminations
            ends.update(dict.fromkeys(AGENTS, True))
        self.agent_selection = self._to_play()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """The board, as the render mode wants it."""
        if self.render_mode == "ansi":
            return self.position.diagram()
        if self.render_mode == "human":
            print(self.position.diagram())
        return None

    def close(self) -> None:
        pass

    def _to_play(self) -> str:
        return AGENTS[self.position.to_play == "white"]
