"""Breakthrough: what a game of moves from one cell to another looks like. A move's number is from * 25 + to; most numbers are
never legal, which costs little."""

N = 5


class Breakthrough:
    """Each side has two rows of pawns. A pawn steps one cell straight or diagonally forward onto an empty cell, or takes
    diagonally forward. Whoever reaches the far row, or takes all pawns, wins.

    Notation: the cells from and to, as in `b2b3`; columns from the left, rows from the top. Black begins, and is above.
    """

    id = "breakthrough5"
    title = "Breakthrough, 5×5"
    side_names = ("Black", "White")
    action_count = N**4
    grid = (N, N)
    symmetries = "left-right"

    def __init__(self):
        self.board = [0] * (2 * N) + [None] * N + [1] * (2 * N)
        self.turn = 0
        self.result = None

    def copy(self):
        other = Breakthrough.__new__(Breakthrough)
        other.board, other.turn, other.result = self.board.copy(), self.turn, self.result
        return other

    def side_to_move(self):
        return self.turn

    def outcome(self):
        return self.result

    def legal_actions(self):
        if self.result is not None:
            return []
        actions = []
        step = 1 if self.turn == 0 else -1
        for cell, owner in enumerate(self.board):
            if owner != self.turn:
                continue
            row, column = divmod(cell, N)
            for right in (-1, 0, 1):
                c = column + right
                if not 0 <= c < N:
                    continue
                target = (row + step) * N + c
                there = self.board[target]
                if there is None or (right and there != self.turn):
                    actions.append(cell * N * N + target)
        return actions

    def play(self, action):
        start, target = divmod(action, N * N)
        self.board[start] = None
        self.board[target] = self.turn
        if target // N == (N - 1 if self.turn == 0 else 0) or (1 - self.turn) not in self.board:
            self.result = self.turn
        self.turn = 1 - self.turn

    def cells(self):
        return self.board

    @staticmethod
    def transform_action(action, move):
        start, target = (move(*divmod(cell, N)) for cell in divmod(action, N * N))
        return (start[0] * N + start[1]) * N * N + target[0] * N + target[1]

    @staticmethod
    def action_name(action):
        return "".join("abcde"[cell % N] + str(cell // N + 1) for cell in divmod(action, N * N))

    @staticmethod
    def action_cells(action):
        return divmod(action, N * N)

    def heuristic(self):
        score = 0
        for cell, owner in enumerate(self.board):
            if owner is not None:
                advance = cell // N if owner == 0 else N - 1 - cell // N
                score += (100 + 10 * advance) * (1 if owner == self.turn else -1)
        return score
