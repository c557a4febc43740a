"""Many games at once."""

import _thread
import signal
import threading

import numpy as np
import pytest

import hotstone
from hotstone import Games, Position, Rules


@pytest.mark.parametrize("variant", hotstone.variants())
def test_games_take_the_turns_that_their_positions_would(variant):
    games = Games(Rules(variant, 4), 8)
    positions = [games[game] for game in range(len(games))]
    random = np.random.default_rng(1)
    while not games.finished.all():
        mask = games.legal_mask()
        assert (mask == [position.legal_mask() for position in positions]).all()
        for ours, theirs in zip(games.encode(), zip(*(it.encode() for it in positions))):
            assert (ours == theirs).all()
        assert games.black_to_play.tolist() == [it.to_play == "black" for it in positions]
        assert games.turns.tolist() == [it.turns for it in positions]
        actions = (random.random(mask.shape) * mask).argmax(1)
        before = games.finished
        rewards, finished = games.step(actions)
        positions = [
            it if it.is_over else it.play(action) for it, action in zip(positions, actions)
        ]
        assert [games[game].hash for game in range(8)] == [it.hash for it in positions]
        assert (games.finished == (before | finished)).all() and not (before & finished).any()
        assert (rewards == np.where(finished, games.results, 0)).all()
    assert games.results.tolist() == [it.result for it in positions]
    games.reset()
    assert not games.finished.any() and games[-1].turns == 0


def test_random_games_repeat_and_do_not_depend_on_threads():
    def hashes(threads):
        games = Games(Rules("conquest", 5), 1500, threads=threads)
        moves = games.play_random(10, seed=5) + games.play_random(seed=6)
        assert moves == games.turns.sum() and games.finished.all()
        return [games[game].hash for game in range(len(games))]

    first = hashes(1)
    assert first == hashes(4) and len(set(first)) > 1000


def test_a_finished_game_starts_again_where_that_is_wanted():
    games = Games(Position(Rules("go", 3)).play("B2").play("pass"), 2, auto_reset=True)
    rewards, finished = games.step([games.rules.action("pass"), 0])
    assert rewards.tolist() == [-0.0, 0] and finished.tolist() == [True, False]
    assert games.turns.tolist() == [2, 3] and not games.finished.any()


def test_finished_games_start_again_in_random_play_too():
    games = Games(Rules("nogo", 2), 4, auto_reset=True)
    assert games.play_random(50) == 200 and not games.finished.any()
    with pytest.raises(ValueError, match="a number of turns"):
        games.play_random()


def test_one_illegal_action_leaves_all_games_as_they_were():
    games = Games(Rules("go", 3), 3)
    games.step([4, 4, 4])
    with pytest.raises(hotstone.IllegalMoveError, match="game 1: B2: there is a stone"):
        games.step([0, 4, 1])
    assert games.turns.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("error", "mistake"),
    [
        (hotstone.IllegalMoveError, lambda games: games.step([0, 0, 19])),
        (hotstone.IllegalMoveError, lambda games: games.step([0, 0, -1])),
        (ValueError, lambda games: games.step([0, 0])),
        (ValueError, lambda games: games.step([[0, 0, 0]])),
        (TypeError, lambda games: games.step([0.0, 0.0, 0.0])),
        (TypeError, lambda games: games.step("abc")),
        (IndexError, lambda games: games[3]),
        (IndexError, lambda games: games[-4]),
        (ValueError, lambda games: Games(games.rules, 10**9)),
        (TypeError, lambda games: Games("go", 3)),
    ],
)
def test_mistakes_raise_errors(error, mistake):
    with pytest.raises(error):
        mistake(Games(Rules("go", 3), 3))


def test_actions_may_be_of_any_integer_type():
    games = Games(Rules("go", 3), 2)
    for number, kind in enumerate([np.int8, np.uint16, np.int32, np.uint64]):
        games.step(np.array([number, number], kind))
    assert games.turns.tolist() == [4, 4]


def test_no_games_are_no_mistake():
    games = Games(Rules("go", 3), 0)
    assert games.legal_mask().shape == (0, 19) and games.encode()[0].shape[0] == 0
    assert games.play_random() == 0 and games.step(np.zeros(0, int))[0].shape == (0,)


def test_other_threads_run_while_games_are_played():
    ran = []
    other = threading.Timer(0, lambda: ran.append(True))
    games = Games(Rules("tile", 9), 3000, threads=1)
    other.start()
    games.play_random()
    other.join()
    assert ran


@pytest.mark.parametrize(
    "work",
    [
        lambda: Position(Rules("go", 9)).perft(7),
        lambda: Games(Rules("go", 19), 8192, threads=1).play_random(),
    ],
    ids=["perft", "play_random"],
)
def test_ctrl_c_ends_what_takes_long(work):
    # A shell's background jobs ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.3, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        work()
