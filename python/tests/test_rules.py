"""Rules, positions, and their errors."""

import pickle

import numpy as np
import pytest

import hotstone
from hotstone import Position, Rules


def test_rules_are_made_of_text_or_changes():
    rules = Rules("tile,end=area", 7, komi=6.5, suicide=True)
    assert rules == Rules("tile,end=area,komi=6.5,suicide=true", "7x7") != Rules("tile", 7)
    assert Rules(rules.text, rules.size) == rules and hash(Rules(rules.text, 7)) == hash(rules)
    variant = Rules("stoical", (4, 3))
    assert (variant.variant, variant.size, variant.actions) == ("stoical", (4, 3), 25)
    assert rules.variant is None and rules.fields["komi"] == "6.5"
    assert Rules("go", 7, end="area").fields == Rules("go", 7).fields


@pytest.mark.parametrize("variant", hotstone.variants())
def test_every_variant_is_explained_and_played(variant):
    rules = Rules(variant, 5)
    assert variant in rules.explain()
    position = Position(rules)
    while not position.is_over:
        moves, actions = position.legal_moves(), position.legal_actions()
        assert [rules.action(move) for move in moves] == actions
        assert [rules.move(action) for action in actions] == moves
        assert np.flatnonzero(position.legal_mask()).tolist() == sorted(actions)
        assert position.winner is position.result is position.reason is None
        position = position.play(moves[len(moves) // 2])
    assert not position.legal_moves() and not position.legal_mask().any()
    assert position.result == {"black": 1, "white": -1, None: 0}[position.winner]
    assert "the game is over" in position.why_illegal("pass")


def test_positions_do_not_change_and_survive_as_text():
    start = Position(Rules("tile", 5))
    position = start.play("C3").play(np.int64(0))
    assert (start.turns, position.turns, position.to_play) == (0, 2, "black")
    stones = np.zeros((5, 5), np.int8)
    stones[2, 2], stones[0, 0] = 1, -1
    assert (position.stones() == stones).all()
    for copy in [Position.parse(position.text), pickle.loads(pickle.dumps(position))]:
        assert copy.hash == position.hash and copy.rules == position.rules
    assert "X" in position.diagram() and position.text == str(position)


def test_encodings_have_named_planes_from_the_view_of_the_player_to_move():
    position = Position(Rules("incursion", "5x4")).play("C3")
    planes, numbers = position.encode()
    assert planes.shape == (len(hotstone.PLANE_NAMES), 4, 5)
    assert numbers.shape == (len(hotstone.NUMBER_NAMES),)
    assert planes.dtype == numbers.dtype == np.float32
    plane = dict(zip(hotstone.PLANE_NAMES, planes))
    assert np.argwhere(plane["opponent's stones"]).tolist() == [[2, 2]]
    assert (plane["legal placements"].ravel() == position.legal_mask()[:20]).all()
    assert dict(zip(hotstone.NUMBER_NAMES, numbers))["player to move is Black"] == 0


START = Position(Rules("go", 5)).play("C3")


@pytest.mark.parametrize(
    ("error", "words", "mistake"),
    [
        (hotstone.RulesError, "did you mean 'tile'", lambda: Rules("tule", 7)),
        (hotstone.RulesError, "expected 2 to 19", lambda: Rules("go", 20)),
        (hotstone.RulesError, "'-1'", lambda: Rules("go", -1)),
        (hotstone.RulesError, "komi", lambda: Rules("go", 7, komi=0.3)),
        (hotstone.RulesError, "'size'", lambda: Rules("go", 7, komi="6,size=9")),
        (TypeError, "board size", lambda: Rules("go", 7.5)),
        (hotstone.PositionError, "rules", lambda: Position.parse("")),
        (hotstone.IllegalMoveError, "stone on C3", lambda: START.play("C3")),
        (hotstone.IllegalMoveError, "J9", lambda: START.play("J9")),
        (hotstone.MoveError, "'I3'", lambda: START.play("I3")),
        (hotstone.MoveError, "action 51", lambda: START.play(51)),
        (hotstone.MoveError, "action -1", lambda: START.play(-1)),
        (hotstone.MoveError, "not on a board", lambda: START.rules.action("J9")),
        (hotstone.MoveError, "not on a board", lambda: START.rules.move("J9")),
        (TypeError, "2.5", lambda: START.play(2.5)),
        (ValueError, "depth", lambda: START.perft(1_000_000)),
    ],
)
def test_mistakes_raise_typed_errors_that_say_what_is_wrong(error, words, mistake):
    with pytest.raises(error, match=words):
        mistake()


def test_errors_are_value_errors():
    for error in ["RulesError", "MoveError", "IllegalMoveError", "PositionError", "ModelError"]:
        assert issubclass(getattr(hotstone, error), ValueError)
