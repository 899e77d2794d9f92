"""Connect Four by an outside solver, BitBully with its opening book: positions with their values, and perfect opponents.

    oracle.py positions [--seed N]                  prints positions.csv: values for `selfplay accuracy --values`
    oracle.py check positions.csv [--every N]       solves every Nth position again and compares
    oracle.py play PROGRAM SPEC [--games N]         prints how SPEC plays against perfect opponents from the empty board
"""

import argparse
import csv
import random
import subprocess
import sys

from bitbully import BitBully, Board

PLIES = (4, 8, 12, 16, 20, 24)
# Positions of any kind and critical positions, for each number of plies.
QUOTA = 1000
# New positions become rare where there are few: the draw stops after so many without one.
MAX_FRUITLESS = 20_000
CELLS = 42


def turns_of(score, discs):
    """Turns of both sides to the end, by BitBully's score of a position with so many discs.

    A score counts the discs that the winner has left when he wins, the last one included: 1 for a win with his last
    disc, negative for the side to move if it loses. A draw fills the board.
    """
    if score == 0:
        return CELLS - discs
    has_moved_less = discs // 2 if score > 0 else (discs + 1) // 2
    winner_discs = CELLS // 2 + 1 - abs(score) - has_moved_less
    return 2 * winner_discs - (1 if score > 0 else 0)


def sign(score):
    return (score > 0) - (score < 0)


def solve(solver, board):
    """The best score of a running game, and the columns that preserve its sign, from 0 on."""
    scores = solver.score_all_moves(board)
    best = max(scores.values())
    return best, sorted(column for column, score in scores.items() if sign(score) == sign(best))


def row(solver, moves):
    """A line of positions.csv, and whether the position is critical."""
    board = Board(moves)
    best, preserving = solve(solver, board)
    is_critical = len(preserving) < len(board.legal_moves())
    names = [" ".join(str(column + 1) for column in columns) for columns in (moves, preserving)]
    return [names[0], sign(best), turns_of(best, len(moves)), names[1] if is_critical else "*"], is_critical


def draw(rng, plies):
    """Random moves to a running game with a choice; None if the game ends before."""
    board, moves = Board(), []
    for _ in range(plies):
        moves.append(rng.choice(board.legal_moves()))
        board.play(moves[-1])
        if board.is_game_over():
            return None
    return moves if len(board.legal_moves()) > 1 else None


def positions(args):
    """Random positions until QUOTA are critical; after the first QUOTA only critical ones are written."""
    solver = BitBully()
    print(f"# Connect Four by BitBully with its book of 12 plies: oracle.py positions --seed {args.seed}")
    print(f"# For each number of plies the first {QUOTA} random positions, then critical ones up to {QUOTA} in all.")
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["actions", "value", "turns", "preserving"])
    for plies in PLIES:
        rng = random.Random(f"{args.seed} {plies}")
        seen, drawn, critical, fruitless = set(), 0, 0, 0
        while critical < QUOTA and fruitless < MAX_FRUITLESS:
            moves = draw(rng, plies)
            key = moves and Board(moves).uid()
            if not moves or key in seen:
                fruitless += 1
                continue
            fruitless = 0
            seen.add(key)
            line, is_critical = row(solver, moves)
            if drawn < QUOTA or is_critical:
                out.writerow(line)
            drawn += 1
            critical += is_critical
        print(f"{plies} plies: {drawn} drawn, {critical} critical", file=sys.stderr)


def check(args):
    """Ends with status 1 if a line differs from what the solver finds now."""
    solver = BitBully()
    with open(args.file, newline="") as file:
        lines = list(csv.reader(line for line in file if not line.startswith("#")))[1:]
    wrong = 0
    for line in lines[:: args.every]:
        moves = [int(name) - 1 for name in line[0].split()]
        expected = [str(field) for field in row(solver, moves)[0]]
        if line != expected:
            wrong += 1
            print(f"{args.file}: {line}, expected {expected}", file=sys.stderr)
    compared = len(lines[:: args.every])
    print(f"{compared} of {len(lines)} positions solved again: {wrong} differ")
    sys.exit(1 if wrong or not compared else 0)


class Agent:
    """A player of `selfplay gtp`, asked for one game after another."""

    def __init__(self, program, spec):
        command = [program, "gtp", "connect4", spec]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        self.process.stdout.readline()
        if not answer.startswith("="):
            sys.exit(f"selfplay gtp: `{command}` failed: {answer or 'no answer'}")
        return answer[1:].strip()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def game(agent, agent_side, opponent):
    """A game from the empty board. Returns its plies and the winning side: 0 first, 1 second, None for a draw."""
    agent.ask("clear_board")
    board, plies = Board(), 0
    while not board.is_game_over():
        side = plies % 2
        if side == agent_side:
            column = int(agent.ask(f"genmove {'bw'[side]}")) - 1
        else:
            column = opponent(board)
            agent.ask(f"play {'bw'[side]} {column + 1}")
        if not board.play(column):
            sys.exit(f"selfplay gtp: illegal move {column + 1} after {plies} plies")
        plies += 1
    return plies, (plies - 1) % 2 if board.has_win() else None


def play(args):
    """The agent as first player, who wins, and as second player, who loses after 41 plies at most."""
    solver, rng = BitBully(), random.Random(args.seed)

    def preserve(board):
        """Uniform among the moves that preserve the value."""
        return rng.choice(solve(solver, board)[1])

    def hurry(board):
        """The fastest win, and the longest resistance; uniform among equals."""
        scores = solver.score_all_moves(board)
        return rng.choice([column for column in sorted(scores) if scores[column] == max(scores.values())])

    agent = Agent(args.program, args.spec)
    first = [game(agent, 0, preserve) for _ in range(args.games)]
    second = [game(agent, 1, hurry) for _ in range(args.games)]
    agent.close()
    won = sum(winner == 0 for _, winner in first)
    drawn = sum(winner is None for _, winner in first)
    lengths = [plies for plies, _ in second]
    escaped = sum(winner != 0 for _, winner in second)
    if escaped:
        sys.exit(f"{escaped} games were not lost as second player: the opponent is not perfect")
    mean = sum(lengths) / len(lengths)
    print("| player | as first player: won, drawn, lost | as second player: plies to the loss, mean (min to max) of 41 |")
    print("|---|---|---|")
    print(f"| `{args.spec}` | {won}, {drawn}, {args.games - won - drawn} | {mean:.1f} ({min(lengths)} to {max(lengths)}) |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("positions")
    command.add_argument("--seed", type=int, default=1)
    command.set_defaults(run=positions)
    command = commands.add_parser("check")
    command.add_argument("file")
    command.add_argument("--every", type=int, default=1)
    command.set_defaults(run=check)
    command = commands.add_parser("play")
    command.add_argument("program")
    command.add_argument("spec")
    command.add_argument("--games", type=int, default=100)
    command.add_argument("--seed", type=int, default=1)
    command.set_defaults(run=play)
    args = parser.parse_args()
    args.run(args)


main()
