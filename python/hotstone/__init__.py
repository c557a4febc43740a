"""Go variants: exact rules, many games at once, encodings as NumPy arrays, and models.

>>> import hotstone
>>> position = hotstone.Position(hotstone.Rules("tile", 7))
>>> position = position.play("D4").play("E5")
>>> position.to_play, len(position.legal_moves())
('black', 47)

`hotstone.pettingzoo` has environments for PettingZoo (extra `pettingzoo`), and `export_onnx` writes models for other
programs (extra `onnx`).
"""

from ._hotstone import (
    NUMBER_NAMES,
    PLANE_NAMES,
    Games,
    IllegalMoveError,
    Model,
    ModelError,
    MoveError,
    Position,
    PositionError,
    Rules,
    RulesError,
    __version__,
    variants,
)
from .onnx import export_onnx

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
    "export_onnx",
    "variants",
]
