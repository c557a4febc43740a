"""Random games a second, beside OpenSpiel and pgx on the same machine: `cargo xtask python --benchmark`.

Every system plays Go on 9x9 with komi 7.5 and without suicide, to two passes or 162 moves; each legal move, passes
included, is as likely as any other. They differ in what a repeated position is: Hotstone forbids the move (positional
superko), OpenSpiel ends the game as a draw, and pgx ends it as a loss; the last two list such moves as legal.

Three ways to play:

* calls: one game at a time, every move chosen in Python;
* steps: many games that take a step together, moves drawn from the mask of all legal ones, finished games started again;
* whole: whole games without Python: `Games.play_random`, OpenSpiel's `evaluate_bots` with its random bots, a `lax.scan`
  over pgx's steps.

What has no threads of its own runs as one process on each core. One core is measured in processor time, several in time
on the wall. Rounds alternate between the systems, and ratios are taken within rounds, because a shared machine is not
equally fast all the time.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

SIZE, KOMI, LONGEST = 9, 7.5, 162
GO = f"go,suicide=false,komi={KOMI},max_moves={LONGEST}"

#: How a system plays: plays for some seconds on a number of threads, and returns moves and seconds.
Play = Callable[[float, int], tuple[int, float]]
#: Processor time on one core, which other programs do not slow down; on several, time on the wall.
clock = time.perf_counter


def timed(seconds: float, play: Callable[[], int]) -> tuple[int, float]:
    """Calls `play`, which returns a number of moves, for about so many seconds, after one call to warm up."""
    play()
    moves, begun = 0, clock()
    while (elapsed := clock() - begun) < seconds:
        moves += play()
    return moves, elapsed


def hotstone_calls(seconds: float, threads: int) -> tuple[int, float]:
    from hotstone import Position, Rules

    start = Position(Rules(GO, SIZE))

    def play() -> int:
        position = start
        while not position.is_over:
            position = position.play(random.choice(position.legal_actions()))
        return position.turns

    return timed(seconds, play)


def hotstone_steps(seconds: float, threads: int) -> tuple[int, float]:
    import numpy as np

    from hotstone import Games, Rules

    games = Games(Rules(GO, SIZE), 1024 * threads, auto_reset=True, threads=threads)
    generator = np.random.default_rng(1)

    def play() -> int:
        mask = games.legal_mask()
        games.step((generator.random(mask.shape, np.float32) * mask).argmax(1))
        return len(games)

    return timed(seconds, play)


def hotstone_whole(seconds: float, threads: int, rules: str = GO) -> tuple[int, float]:
    from hotstone import Games, Rules

    games = Games(Rules(rules, SIZE), 1024 * threads, threads=threads)
    seeds = iter(range(1_000_000_000))

    def play() -> int:
        games.reset()
        return games.play_random(seed=next(seeds))

    return timed(seconds, play)


def openspiel_calls(seconds: float, threads: int) -> tuple[int, float]:
    import pyspiel

    game = pyspiel.load_game("go", {"board_size": SIZE, "komi": KOMI, "max_game_length": LONGEST})

    def play() -> int:
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(random.choice(state.legal_actions()))
        return state.move_number()

    return timed(seconds, play)


def openspiel_whole(seconds: float, threads: int) -> tuple[int, float]:
    import pyspiel

    game = pyspiel.load_game("go", {"board_size": SIZE, "komi": KOMI, "max_game_length": LONGEST})
    bots = [pyspiel.make_uniform_random_bot(player, 1 + player) for player in range(2)]

    def play() -> int:
        state = game.new_initial_state()
        pyspiel.evaluate_bots(state, bots, random.randrange(1 << 30))
        return state.move_number()

    return timed(seconds, play)


def pgx_steps(seconds: float, threads: int, at_once: int = 1) -> tuple[int, float]:
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    # 16 to 64 games at once were the fastest for a core, 1024 slower by half.
    game, count = pgx.make("go_9x9"), 64 * threads
    step = jax.vmap(auto_reset(game.step, game.init))

    def turn(carry, _):
        state, key = carry
        key, to_draw, to_step = jax.random.split(key, 3)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        actions = jax.random.categorical(to_draw, logits, axis=1)
        return (step(state, actions, jax.random.split(to_step, count)), key), None

    turns = jax.jit(lambda carry: jax.lax.scan(turn, carry, None, length=at_once)[0])
    key = jax.random.PRNGKey(1)
    carry = (jax.jit(jax.vmap(game.init))(jax.random.split(key, count)), key)

    def play() -> int:
        nonlocal carry
        carry = jax.block_until_ready(turns(carry))
        return count * at_once

    return timed(seconds, play)


def pgx_whole(seconds: float, threads: int) -> tuple[int, float]:
    return pgx_steps(seconds, threads, at_once=50)


CASES: dict[tuple[str, str], Play] = {
    ("calls", "Hotstone"): hotstone_calls,
    ("calls", "OpenSpiel"): openspiel_calls,
    ("steps", "Hotstone"): hotstone_steps,
    ("steps", "pgx"): pgx_steps,
    ("whole", "Hotstone"): hotstone_whole,
    ("whole", "OpenSpiel"): openspiel_whole,
    ("whole", "pgx"): pgx_whole,
}
THREADED = {hotstone_steps, hotstone_whole, pgx_steps, pgx_whole}


def work(case: str, seconds: float, cores: list[int], is_alone: bool) -> None:
    """A process of a measurement: prints moves and seconds."""
    global clock
    if is_alone and len(cores) == 1:
        clock = time.process_time
    os.sched_setaffinity(0, cores)
    way, system = case.split("/")
    if system in {name for _, name in CASES}:
        moves, elapsed = CASES[way, system](seconds, len(cores))
    else:
        moves, elapsed = hotstone_whole(seconds, len(cores), system)
    print(json.dumps([moves, elapsed]))


def measure(case: str, seconds: float, cores: list[int], is_threaded: bool) -> float:
    """Moves a second on these cores."""
    shares = [cores] if is_threaded else [[core] for core in cores]
    command = [sys.executable, __file__, "--seconds", str(seconds), "--case", case]
    command += ["--alone"] if len(cores) == 1 else []
    command += ["--cores"]
    environment = os.environ | {"JAX_PLATFORMS": "cpu"}
    workers = [
        subprocess.Popen(
            [*command, ",".join(map(str, share))],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            text=True,
        )
        for share in shares
    ]
    answers = [worker.communicate()[0] for worker in workers]
    if any(worker.returncode for worker in workers):
        raise SystemExit(f"{case} failed: run it alone with {' '.join(command)} {cores[0]}")
    return sum(moves / elapsed for moves, elapsed in map(json.loads, answers))


def spread(numbers: list[float], form: Callable[[float], str]) -> str:
    """The median, and the smallest and largest."""
    least, most = form(min(numbers)), form(max(numbers))
    return f"{form(statistics.median(numbers))} ({least}–{most})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seconds", type=float, default=5, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--case", help=argparse.SUPPRESS)
    parser.add_argument("--cores", help=argparse.SUPPRESS)
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.case:
        cores = [int(core) for core in arguments.cores.split(",")]
        return work(arguments.case, arguments.seconds, cores, arguments.alone)

    import hotstone

    cores = sorted(os.sched_getaffinity(0))
    counts = sorted({1, len(cores)})
    speeds: dict[tuple[int, str, str], list[float]] = {}
    variants: dict[str, list[float]] = {variant: [] for variant in hotstone.variants()}
    for round_ in range(arguments.rounds):
        print(f"round {round_ + 1} of {arguments.rounds}", file=sys.stderr)
        for count in counts:
            for (way, system), play in CASES.items():
                speed = measure(
                    f"{way}/{system}", arguments.seconds, cores[:count], play in THREADED
                )
                speeds.setdefault((count, way, system), []).append(speed)
        for variant, found in variants.items():
            found.append(measure(f"whole/{variant}", arguments.seconds / 5, cores[:1], True))

    whole, ratio = lambda number: f"{number:,.0f}", lambda number: f"{number:.3g}"
    print(
        f"\nGo on {SIZE}×{SIZE}, moves a second: median (least–most) of {arguments.rounds} rounds\n"
    )
    print(
        "| cores | way | system | moves a second | share of Hotstone's speed |\n|---|---|---|---|---|"
    )
    for (count, way, system), found in speeds.items():
        ours = speeds[count, way, "Hotstone"]
        shares = (
            "1" if system == "Hotstone" else spread([a / b for a, b in zip(found, ours)], ratio)
        )
        print(f"| {count} | {way} | {system} | {spread(found, whole)} | {shares} |")
    print(f"\nWhole games of each variant on {SIZE}×{SIZE}, one core\n")
    print("| variant | moves a second |\n|---|---|")
    for variant, found in variants.items():
        print(f"| {variant} | {spread(found, whole)} |")


if __name__ == "__main__":
    main()
