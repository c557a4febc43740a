"""Models for other programs: `export_onnx`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._hotstone import NUMBER_NAMES, PLANE_NAMES, Model

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto

#: The oldest operator set with everything that is needed here.
OPSET = 18
#: ONNX's number for f32.
FLOAT = 1


def export_onnx(model: Model, path: str | os.PathLike[str]) -> None:
    """Writes a model as an ONNX file, for boards of any size that it has learnt. Needs the package `onnx`.

    Inputs are what `encode` of `hotstone.Games` and `hotstone.Position` gives: ``planes (batch, planes, size, size)`` and
    ``numbers (batch, numbers)``. Outputs are from the view of the player to move: ``policy (batch, actions)``, logits of
    all actions, legal or not; ``result (batch, 3)``, logits of a win, a draw and a loss; and, of a model that predicts
    it, ``margin (batch, 1)``, the lead at the end in shares of the board.
    """
    import onnx

    exported = _Graph(model).model()
    onnx.checker.check_model(exported, full_check=True)
    onnx.save(exported, path)


class _Graph:
    """The graph of a model while it grows. Methods add operators and return the name of their output."""

    def __init__(self, model: Model) -> None:
        from onnx import helper, numpy_helper

        self.helper, self.numpy_helper = helper, numpy_helper
        self.network = model
        self.parameters = model.parameters()
        # The pass stands between the logits of plain and of starred placements.
        for row, moves in enumerate(("plain", "starred")):
            for part in ("weight", "bias"):
                rows = self.parameters[f"moves.{part}"][row : row + 1]
                self.parameters[f"{moves}.{part}"] = rows
        self.nodes: list[NodeProto] = []
        self.constants: dict[str, NDArray[Any]] = {}

    def model(self) -> ModelProto:
        """The whole model."""
        outputs = self._outputs()
        helper = self.helper
        inputs = {
            "planes": ["batch", len(PLANE_NAMES), "size", "size"],
            "numbers": ["batch", len(NUMBER_NAMES)],
        }
        shapes = {"policy": ["batch", "actions"], "result": ["batch", 3], "margin": ["batch", 1]}
        value = helper.make_tensor_value_info
        graph = helper.make_graph(
            self.nodes,
            "hotstone",
            [value(name, FLOAT, shape) for name, shape in inputs.items()],
            [value(name, FLOAT, shapes[name]) for name in outputs],
            [self.numpy_helper.from_array(array, name) for name, array in self.constants.items()],
        )
        exported: ModelProto = helper.make_model(
            graph,
            producer_name="hotstone",
            opset_imports=[helper.make_opsetid("", OPSET)],
            # The oldest format with this operator set, for the oldest runtimes.
            ir_version=8,
        )
        helper.set_model_props(
            exported,
            {
                "rules": self.network.rules,
                "sizes": " ".join(f"{width}x{height}" for width, height in self.network.sizes),
                "planes": "\n".join(PLANE_NAMES),
                "numbers": "\n".join(NUMBER_NAMES),
            },
        )
        return exported

    def _outputs(self) -> list[str]:
        # Pooled means count more on larger boards.
        side = self._add("Cast", self._add("Shape", "planes", start=2, end=3), to=FLOAT)
        self.scale = self._add("Div", self._add("Sub", side, self._numbers(9)), self._numbers(10))

        trunk = self._add(
            "Add",
            self._convolution("planes", "stem"),
            self._to_points(self._linear("numbers", "stem.globals")),
        )
        trunk = self._add("Relu", trunk)
        for block in range(self.network.blocks):
            trunk = self._block(trunk, f"block{block}")

        pooled = self._pool(self._convolution(trunk, "pooled"))
        hidden = self._add("Relu", self._linear(pooled, "hidden.weight", "hidden.bias"))
        features = self._add(
            "Add",
            self._convolution(trunk, "policy"),
            self._to_points(self._linear(pooled, "policy.mix")),
        )
        features = self._add("Relu", features)
        plain, starred = (
            self._add("Flatten", self._convolution(features, moves), axis=1)
            for moves in ("plain", "starred")
        )
        passing = self._linear(hidden, "pass.weight", "pass.bias")
        self._add("Concat", plain, passing, starred, name="policy", axis=1)
        outputs = ["policy", "result"]
        if "margin.weight" in self.parameters:
            outputs.append("margin")
        for head in outputs[1:]:
            self._linear(hidden, f"{head}.weight", f"{head}.bias", name=head)
        return outputs

    def _block(self, trunk: str, block: str) -> str:
        inner = self._convolution(trunk, f"{block}.first")
        if f"{block}.pool.weight" in self.parameters:
            pooled = self._pool(self._convolution(trunk, f"{block}.pool"))
            inner = self._add(
                "Add", inner, self._to_points(self._linear(pooled, f"{block}.pool.mix"))
            )
        change = self._convolution(self._add("Relu", inner), f"{block}.second")
        return self._add("Relu", self._add("Add", trunk, change))

    def _pool(self, boards: str) -> str:
        """The mean of each channel after a ReLU, the mean times the board's scale, and the largest."""
        boards = self._add("Relu", boards)
        mean = self._add("Flatten", self._add("GlobalAveragePool", boards), axis=1)
        largest = self._add("Flatten", self._add("GlobalMaxPool", boards), axis=1)
        return self._add("Concat", mean, self._add("Mul", mean, self.scale), largest, axis=1)

    def _convolution(self, boards: str, layer: str) -> str:
        """A convolution with its scales multiplied into it; edges are padded with zeros."""
        weights = self.parameters[f"{layer}.weight"]
        scales = self.parameters.get(f"{layer}.scale")
        if scales is not None:
            weights = weights * scales[:, None, None, None]
        if weights.ndim == 2:
            weights = weights[:, :, None, None]
        padding = weights.shape[-1] // 2
        return self._add(
            "Conv",
            boards,
            self._constant(f"{layer}.weight", weights),
            self._constant(f"{layer}.bias", self.parameters[f"{layer}.bias"]),
            kernel_shape=weights.shape[2:],
            pads=[padding] * 4,
        )

    def _linear(
        self, rows: str, weights: str, bias: str | None = None, name: str | None = None
    ) -> str:
        names = [weights] if bias is None else [weights, bias]
        constants = [self._constant(each, self.parameters[each]) for each in names]
        return self._add("Gemm", rows, *constants, name=name, transB=1)

    def _to_points(self, rows: str) -> str:
        """(batch, channels) as (batch, channels, 1, 1)."""
        return self._add("Unsqueeze", rows, self._constant("points", np.array([2, 3])))

    def _numbers(self, number: float) -> str:
        return self._constant(f"number {number}", np.array([number], np.float32))

    def _constant(self, name: str, array: NDArray[Any]) -> str:
        self.constants[name] = array
        return name

    def _add(self, operator: str, *inputs: str, name: str | None = None, **attributes: Any) -> str:
        name = name or f"{operator} {len(self.nodes)}"
        self.nodes.append(self.helper.make_node(operator, inputs, [name], **attributes))
        return name
