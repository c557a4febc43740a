# KaTrain's own engine, game, nodes and strategies, with Hotstone as its KataGo: every strategy
# plays, and every game is then reviewed with everything that KaTrain offers for it. Only Kivy,
# KaTrain's window toolkit, is replaced.
#
#   python katrain_games.py COMMAND [--moves 50] [--sizes 7,9] [--rules tromp-taylor]...
#
# COMMAND is what a user enters as the engine's command in KaTrain: `exec hotstone analysis`.
# Whatever KaTrain would show as an error, and every exception, fails the check.

import argparse
import collections
import json
import os
import sys
import tempfile
import threading
import time
import types


def module(name, **contents):
    made = types.ModuleType(name)
    made.__dict__.update(contents)
    sys.modules[name] = made


class Observable:
    """What texts in KaTrain's windows are bound to."""

    def fbind(self, *_):
        pass


class JsonStore(dict):
    """A file of settings."""

    def __init__(self, path, indent=None):
        with open(path, encoding="utf-8") as file:
            super().__init__(json.load(file))


# Before KaTrain is imported.
module("kivy", Config=types.SimpleNamespace(set=lambda *_: None))
module("kivy._event", Observable=Observable)
module("kivy.storage")
module("kivy.storage.jsonstore", JsonStore=JsonStore)
module("kivy.utils", platform="linux")

from katrain.core.ai import STRATEGY_REGISTRY, ai_rank_estimation, game_report, generate_ai_move  # noqa: E402
from katrain.core.base_katrain import KaTrainBase  # noqa: E402
from katrain.core.constants import (  # noqa: E402
    AI_SETTLE_STONES,
    AI_SIMPLE_OWNERSHIP,
    AI_STRATEGIES,
    OUTPUT_DEBUG,
    OUTPUT_ERROR,
    VERSION,
)
from katrain.core.engine import KataGoEngine  # noqa: E402
from katrain.core.game import Game, KaTrainSGF  # noqa: E402
from katrain.core.tsumego_frame import tsumego_frame_from_katrain_game  # noqa: E402

# KaTrain reports this error with every engine that has no network trained on human play, and then
# plays the first choice.
EXPECTED = "Error in human analysis query"


class Window:
    """Takes everything that KaTrain shows."""

    def __getattr__(self, _):
        return Window()

    def __call__(self, *_args, **_named):
        return None


class KaTrain(KaTrainBase):
    """KaTrain without its windows."""

    def __init__(self, command, visits):
        self.errors = []
        self.controls = Window()
        self.pondering = False
        self.update_state = lambda **_: None
        super().__init__(force_package_config=True, debug_level=OUTPUT_DEBUG)
        settings = {
            "backend": "custom",
            "altcommand": command,
            "max_visits": visits,
            "fast_visits": max(2, visits // 4),
        }
        self._config["engine"].update(settings)
        self.engine = KataGoEngine(self, self.config("engine"))

    def log(self, message, level=0):
        if level == OUTPUT_ERROR and EXPECTED not in message:
            self.errors.append(message)

    def __call__(self, message, *arguments):
        self.errors.append(f"{message}: {arguments}")

    def check(self, what):
        if self.errors:
            raise RuntimeError(f"{what}: " + "\n".join(self.errors))

    def until(self, condition, what, seconds=60):
        """Waits as long as answers come, however long a busy machine takes for all of them."""
        remaining, end = None, 0.0
        while not condition():
            self.check(what)
            if self.engine.queries_remaining() != remaining:
                remaining, end = self.engine.queries_remaining(), time.monotonic() + seconds
            if time.monotonic() > end:
                raise RuntimeError(f"{what}: no answer in {seconds} s")
            if not self.engine.check_alive(exception_if_dead=True):
                raise RuntimeError(f"{what}: the engine has ended")
            time.sleep(0.002)
        self.check(what)

    def settle(self, what):
        """Waits for all answers."""
        self.until(self.engine.is_idle, what)


def new_game(katrain, size, rules, move_tree=None):
    properties = {"SZ": size, "KM": 6.5, "RU": rules}
    katrain.game = Game(katrain, katrain.engine, move_tree=move_tree, game_properties=properties)
    return katrain.game


def play(katrain, strategy, size, rules, most):
    """A game of `most` moves at most, as KaTrain's window has it played."""
    settings = katrain.config(f"ai/{AI_SIMPLE_OWNERSHIP if strategy == AI_SETTLE_STONES else strategy}")
    ai_rank_estimation(strategy, settings)
    game = new_game(katrain, size, rules)
    what = f"{strategy} on {size}×{size} under {rules}"
    while game.current_node.depth < most and not game.end_result:
        node = game.current_node
        katrain.until(lambda: node.analysis_complete, what)
        generate_ai_move(game, strategy, settings)
        if game.current_node is node:
            raise RuntimeError(f"{what}: no move")
    katrain.settle(what)
    return game


def review(katrain, game, folder):
    """Comments and reports, and the game saved and loaded again, with its analysis and without."""
    size, rules = game.board_size[0], game.root.ruleset
    what = f"review on {size}×{size} under {rules}"
    thresholds = katrain.config("trainer/eval_thresholds")
    for node in game.root.nodes_in_tree:
        for details in (False, True):
            node.comment(sgf=details, teach=True, details=details)
        node.candidate_moves, node.points_lost, node.parent_realized_points_lost, node.format_winrate()
    game_report(game, thresholds)
    game_report(game, thresholds, (0, 0.3))
    trainer = {**katrain.config("trainer"), "save_analysis": True, "save_marks": True}
    path = os.path.join(folder, "game.sgf")
    game.write_sgf(path, trainer)
    # With the saved analysis, and afresh.
    with_analysis = new_game(katrain, size, rules, KaTrainSGF.parse_file(path))
    katrain.settle(what)
    game.write_sgf(path)
    again = new_game(katrain, size, rules, KaTrainSGF.parse_file(path))
    katrain.settle(what)
    time.sleep(0.1)
    for loaded in (with_analysis, again):
        katrain.until(lambda loaded=loaded: all(node.analysis_complete for node in loaded.root.nodes_in_tree), what)
    return again


def explore(katrain, again):
    """Everything else that KaTrain offers for a game that has been loaded."""
    size, rules = again.board_size[0], again.root.ruleset
    what = f"{size}×{size} under {rules}"
    thresholds = katrain.config("trainer/eval_thresholds")
    katrain.game = again
    again.redo(12)
    node = again.current_node
    for mode in ("extra", "alternative", "sweep", "alternative", "equalize", "local", "game"):
        again.analyze_extra(mode)
        katrain.settle(f"{what}, {mode}")
    katrain.pondering = True
    again.analyze_extra("ponder")
    # A decided position needs no more visits.
    enough = 2 * katrain.config("engine/max_visits")
    katrain.until(lambda: node.root_visits > enough or katrain.engine.is_idle(), f"{what}, pondering")
    again.analyze_extra("stop")
    katrain.settle(f"{what}, stop")
    again.reset_current_analysis()
    again.set_region_of_interest((0, size // 2, 0, size // 2))
    again.analyze_extra("extra")
    katrain.settle(f"{what}, region of interest")
    again.region_of_interest = None
    katrain.until(lambda: node.analysis_complete, what)
    # A person who is taught.
    legal = [move for prior, move in node.policy_ranking if prior >= 0]
    again.play(legal[-1])
    katrain.settle(f"{what}, teaching")
    again.analyze_undo(again.current_node)
    again.undo(2)
    again.redo(1)
    game_report(again, thresholds)
    # KaTrain goes on by itself, to the end and to a position of a certain advantage.
    again.set_current_node(again.root)
    again.selfplay(10, target_b_advantage=5)
    time.sleep(0.15)
    katrain.settle(f"{what}, set-up of a position")
    again.selfplay("end")
    time.sleep(0.15)
    katrain.settle(f"{what}, self-play")
    again.set_insert_mode(True)
    again.set_insert_mode(False)
    katrain.settle(f"{what}, insertion")
    # A problem from the stones of the last position: stones put down without moves.
    framed, region = tsumego_frame_from_katrain_game(again, again.komi, True, False, 1)
    if region:
        again.set_region_of_interest([region[0][0], region[0][1], region[1][0], region[1][1]])
    framed.analyze(katrain.engine)
    katrain.settle(f"{what}, problem")


def positions(game):
    """Winning chance and lead of each position and of the moves found there, all Black's."""
    for node in game.root.nodes_in_tree:
        if node.analysis_exists:
            yield [
                (found["winrate"], found["scoreLead"])
                for found in (node.analysis["root"], *node.analysis["moves"].values())
            ]


class Agreement:
    """How often the sign of the lead is that of the winning chance, where that is beyond 50 ± 15 %."""

    def __init__(self):
        self.counts = collections.Counter()

    def add(self, game):
        for pairs in positions(game):
            for kind, (winrate, lead) in zip(["positions"] + ["moves"] * (len(pairs) - 1), pairs):
                if abs(winrate - 0.5) > 0.15:
                    self.counts[kind] += 1
                    self.counts[f"agreeing {kind}"] += (winrate > 0.5) == (lead > 0) and lead != 0

    def share(self, kind):
        return self.counts[f"agreeing {kind}"] / max(1, self.counts[kind])

    def __str__(self):
        kinds = [
            f"{self.counts[f'agreeing {kind}']} of {self.counts[kind]} {kind} ({self.share(kind):.1%})"
            for kind in ("positions", "moves")
        ]
        return "lead and winning chance agree in " + ", ".join(kinds)


def check_rules(katrain, rules, size, strategies, arguments):
    """All strategies on one board; true if the leads have the sign of the winning chances often enough."""
    agreement, moves, games = Agreement(), 0, 0
    for strategy in strategies:
        needs_ownership = strategy in (AI_SIMPLE_OWNERSHIP, AI_SETTLE_STONES)
        katrain.engine.config["_enable_ownership"] = needs_ownership or not arguments.sparing
        left = arguments.moves
        while left > 0:
            game = play(katrain, strategy, size, rules, left)
            if game.current_node.depth == 0:
                raise RuntimeError(f"{strategy} under {rules}: a game without moves")
            left -= game.current_node.depth
            games += 1
            agreement.add(game)
            with tempfile.TemporaryDirectory() as folder:
                loaded = review(katrain, game, folder)
            if games == 1:
                explore(katrain, loaded)
        moves += arguments.moves - left
    print(
        f"KaTrain {VERSION}, {size}×{size}, {rules}: {len(strategies)} strategies, {games} games, {moves} moves played "
        f"and reviewed; {agreement}",
        flush=True,
    )
    return agreement.share("positions") >= arguments.least


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("--moves", type=int, default=50, help="of each strategy, in as many games as it takes")
    parser.add_argument("--sizes", default="7,9")
    parser.add_argument("--visits", type=int, default=12)
    parser.add_argument("--rules", action="append", help="as KaTrain has them: a name, or an object as JSON")
    parser.add_argument("--strategies", default="", help="by their names in KaTrain; all if left out")
    parser.add_argument("--sparing", action="store_true", help="ask for ownership only where a strategy needs it")
    parser.add_argument("--least", type=float, default=0.0, help="the least share of positions with the lead's sign")
    arguments = parser.parse_args()
    # KaTrain looks for its own arguments.
    sys.argv[1:] = []
    all_strategies = sorted({*AI_STRATEGIES, *STRATEGY_REGISTRY})
    strategies = arguments.strategies.split(",") if arguments.strategies else all_strategies
    katrain = KaTrain(arguments.command, arguments.visits)
    threading.excepthook = lambda problem: katrain.errors.append(repr(problem.exc_value))
    kinds = [(rules, int(size)) for rules in arguments.rules or ["japanese"] for size in arguments.sizes.split(",")]
    agree = [check_rules(katrain, *kind, strategies, arguments) for kind in kinds]
    katrain.engine.shutdown()
    sys.exit(0 if all(agree) else 1)


main()
