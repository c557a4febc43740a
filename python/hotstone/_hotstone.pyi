"""The compiled half of the package.

A move is a text such as ``"E5"``, ``"E5*"`` (Conquest's announced choice) or ``"pass"``, or its action: the index in a
policy, with all points row by row from A1, then the pass, then all starred points.
"""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Literal, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "NUMBER_NAMES",
    "PLANE_NAMES",
    "Games",
    "IllegalMoveError",
    "Model",
    "ModelError",
    "MoveError",
    "Position",
    "PositionError",
    "Rules",
    "RulesError",
    "__version__",
    "variants",
]

__version__: str
#: What each plane of an encoding shows, in their order.
PLANE_NAMES: tuple[str, ...]
#: What each number of an encoding says, in their order.
NUMBER_NAMES: tuple[str, ...]

class RulesError(ValueError):
    """Rules that do not exist."""

class MoveError(ValueError):
    """A text or number that is no move."""

class IllegalMoveError(MoveError):
    """A move that the rules forbid."""

class PositionError(ValueError):
    """A text that is no position."""

class ModelError(ValueError):
    """A model that cannot be read, or asked about rules that it has not learnt."""

def variants() -> list[str]:
    """The names of all variants."""

@final
class Rules:
    """A rule set on a board of one size: ``Rules("tile,end=area", 7)`` or ``Rules("tile", 7, end="area")``.

    Equal rules on boards of one size compare and hash equal.
    """

    def __new__(
        cls,
        text: str = "go",
        size: int | str | tuple[int, int] | None = None,
        **changes: str | float | bool,
    ) -> Self:
        """A variant's name with changes to it, for a side, ``(width, height)`` or ``"7x5"``; 9 if left out.

        Raises RulesError for words and values that there are not, and for changes that the other parts do not use.
        """

    @property
    def text(self) -> str:
        """The nearest variant and what differs from it; ``Rules(text, size)`` reads it back."""

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""

    @property
    def variant(self) -> str | None:
        """The variant's name, if these are a variant's rules."""

    @property
    def fields(self) -> dict[str, str]:
        """Every part that these rules use, with its value: what ``Rules`` takes as changes."""

    @property
    def actions(self) -> int:
        """The length of a policy: two for each point, and one."""

    def explain(self) -> str:
        """The rules in words, with an example if they are a variant's."""

    def action(self, move: str | int) -> int:
        """A move's action. Raises MoveError."""

    def move(self, action: str | int) -> str:
        """An action's move as text. Raises MoveError."""

@final
class Position:
    """A position with the history that its rules depend on. It never changes: turns lead to new ones."""

    def __new__(cls, rules: Rules) -> Self:
        """The empty board, Black to move."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads what `text` writes. Raises PositionError."""

    @property
    def rules(self) -> Rules: ...
    @property
    def to_play(self) -> Literal["black", "white"]:
        """Whose turn it is, or was when the game ended."""

    @property
    def turns(self) -> int:
        """Turns taken since the start; each stone counts where a turn has several."""

    @property
    def is_over(self) -> bool: ...
    @property
    def winner(self) -> Literal["black", "white"] | None:
        """The winner of a finished game that is not drawn."""

    @property
    def result(self) -> float | None:
        """Of a finished game: 1 if Black has won, 0 if it is drawn, -1 if White has won."""

    @property
    def reason(self) -> str | None:
        """What ended the game, such as ``"passes"`` or ``"move limit"``."""

    @property
    def score(self) -> float | None:
        """Black's points less White's and komi, as the board stands; None where the rules have no score."""

    @property
    def hash(self) -> int:
        """64 bits of everything that decides how the game can continue. Not stable across versions."""

    @property
    def text(self) -> str:
        """The position with its rules and history as text, also ``str(position)``."""

    def diagram(self) -> str:
        """The board with coordinates and marks, for people."""

    def stones(self) -> NDArray[np.int8]:
        """``(height, width)``, row 0 at the bottom: 1 for Black's stones, -1 for White's, 0 for empty points."""

    def legal_moves(self) -> list[str]:
        """All legal moves; none in a finished game."""

    def legal_actions(self) -> list[int]:
        """The actions of all legal moves, in the order of `legal_moves`."""

    def legal_mask(self) -> NDArray[np.bool_]:
        """``(actions,)``: which actions are legal."""

    def why_illegal(self, move: str | int) -> str | None:
        """Which rule forbids a move, in words; None if none does. Raises MoveError."""

    def play(self, move: str | int) -> Position:
        """The position after a move. Raises IllegalMoveError, and MoveError for what is no move."""

    def encode(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """What networks see, from the view of the player to move: planes ``(planes, height, width)`` of zeros and ones,
        row 0 at the bottom, and numbers ``(numbers,)``, in the order of PLANE_NAMES and NUMBER_NAMES."""

    def perft(self, depth: int) -> int:
        """The number of sequences of this many turns, at most 64. A finished game has no continuation. Ctrl-C ends it."""

@final
class Games:
    """Many games of one rule set that take their turns together.

    Arrays have a row for each game. Work is shared among threads, and other Python threads run meanwhile.
    """

    def __new__(
        cls,
        start: Rules | Position,
        count: int,
        *,
        auto_reset: bool = False,
        threads: int | None = None,
    ) -> Self:
        """`count` games from an empty board or a position. With `auto_reset` a game that ends starts again at once.
        `threads`: at most so many; as many as there are cores if left out."""

    @property
    def rules(self) -> Rules: ...
    def __len__(self) -> int: ...
    def __getitem__(self, game: int, /) -> Position: ...
    @property
    def black_to_play(self) -> NDArray[np.bool_]:
        """Whose turn it is."""

    @property
    def turns(self) -> NDArray[np.uint16]:
        """Turns taken."""

    @property
    def finished(self) -> NDArray[np.bool_]:
        """Which games are over."""

    @property
    def results(self) -> NDArray[np.float32]:
        """Of finished games 1, 0 or -1, for Black; 0 of the others."""

    def legal_mask(self) -> NDArray[np.bool_]:
        """``(games, actions)``: which actions are legal; none in a finished game."""

    def encode(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Planes ``(games, planes, height, width)`` and numbers ``(games, numbers)``, as `Position.encode` has them."""

    def step(self, actions: ArrayLike) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Takes one action in each game; those for finished games are ignored. Returns the results for Black of the
        games that end with it (0 for all others), and which these are.

        Raises IllegalMoveError, and then no game has changed.
        """

    def play_random(self, turns: int | None = None, *, seed: int = 0) -> int:
        """Plays legal moves, each with equal probability, until all games are over or have taken so many turns; returns
        the number of moves. `turns` must be given with `auto_reset`, where games are never all over. Equal seeds play
        equal games. Ctrl-C leaves them where they are."""

    def reset(self) -> None:
        """Starts all games again."""

@final
class Model:
    """A network that evaluates positions on the processor, with threads of its own: a forked process loads it again."""

    @classmethod
    def load(cls, folder: str | PathLike[str] | None = None, *, threads: int | None = None) -> Self:
        """The model in a model folder or of a run's newest checkpoint. The universal model comes with the package and is
        loaded without a folder: it plays every variant from 3x3 to 9x9. `threads`: at most so many; as many as there are
        cores if left out. Raises ModelError."""

    @property
    def folder(self) -> Path:
        """Where it was read."""

    @property
    def rules(self) -> str:
        """The rules it has learnt; of a model that has learnt many, the first."""

    @property
    def sizes(self) -> list[tuple[int, int]]:
        """Columns and rows of the boards it has learnt."""

    @property
    def training_step(self) -> int:
        """Learning steps taken."""

    @property
    def blocks(self) -> int:
        """Residual blocks."""

    def plays(self, rules: Rules) -> bool:
        """Whether it has learnt these rules on this size."""

    def parameters(self) -> dict[str, NDArray[np.float32]]:
        """The network's parameters."""

    def evaluate(
        self, positions: Sequence[Position]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """Of running games on boards of one size: policies ``(positions, actions)`` over the legal moves, values
        ``(positions,)`` from -1 to 1 for Black, and by how many points Black is expected to win ``(positions,)``, NaN
        from models that do not predict it. Raises ModelError for rules that it has not learnt, and in a process that was
        forked after it was loaded."""
