"""Plays over GTP with OpenSpiel's GTPBot: connect4 under OpenSpiel's rules, pentago-swap move by move.

    python play.py SELFPLAY
"""

import random
import sys

import pyspiel
from open_spiel.python.bots.gtp import CommandError, GTPBot


class Connect4Bot(GTPBot):
    """OpenSpiel writes a disc as mark and column from 0, `x3`; the engine as the column from 1, `4`."""

    def inform_action(self, state, player_id, action):
        column = int(state.action_to_string(player_id, action)[1:]) + 1
        self.gtp_cmd("play", self._player_colors[player_id], column)

    def step(self, state):
        column = int(self.gtp_cmd("genmove", self._player_colors[state.current_player()])) - 1
        return state.string_to_action(f"{'xo'[state.current_player()]}{column}")


def play_connect4(program, bot_side, seed):
    """One game of the engine against random moves; OpenSpiel must allow every move and see the same end."""
    game = pyspiel.load_game("connect_four")
    bot = Connect4Bot(game, [program, "gtp", "connect4", "alphabeta:depth=4"])
    rng = random.Random(seed)
    state = game.new_initial_state()
    while not state.is_terminal():
        player = state.current_player()
        if player == bot_side:
            action = bot.step(state)
            assert action in state.legal_actions(), f"{action} in\n{state}"
        else:
            action = rng.choice(state.legal_actions())
            bot.inform_action(state, player, action)
        state.apply_action(action)
    result = {1.0: "black wins", -1.0: "white wins", 0.0: "draw"}[state.returns()[0]]
    assert bot.gtp_cmd("gogui-rules_final_result") == result, state
    bot.close()
    return state.returns()[bot_side]


def play_pentago_swap(program):
    """Two engines; each takes the other's strings, which GTPBot hands over in small letters."""
    game = pyspiel.load_game("connect_four")  # GTPBot wants one; nothing of it is used.
    bots = [GTPBot(game, [program, "gtp", "pentago-swap", spec]) for spec in ("alphabeta:depth=1", "random")]
    try:
        bots[0].gtp_cmd("play", "white", "a9:ab")
        raise AssertionError("a move off the board was accepted")
    except CommandError:
        pass
    moves = 0
    while bots[0].gtp_cmd("gogui-rules_final_result") == "unknown":
        color = bots[0].gtp_cmd("gogui-rules_side_to_move")
        mover, other = bots[moves % 2], bots[1 - moves % 2]
        other.gtp_cmd("play", color, mover.gtp_cmd("genmove", color))
        moves += 1
    ends = {bot.gtp_cmd("gogui-rules_final_result") for bot in bots}
    assert len(ends) == 1, ends
    for bot in bots:
        bot.close()
    return moves, ends.pop()


def main():
    program = sys.argv[1]
    points = [play_connect4(program, side, seed) for side in (0, 1) for seed in range(3)]
    assert sum(points) >= 5, f"alpha-beta lost to random moves: {points}"
    print(f"ok connect4: {points}")
    moves, end = play_pentago_swap(program)
    print(f"ok pentago-swap: {end} after {moves} moves")
    print("2 passed, 0 failed")


main()
