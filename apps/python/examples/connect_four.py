"""Connect Four as one would write it down: what a game of your own looks like. docs/python-game.md says what each member means.

    selfplay check connect_four.py
    selfplay train connect_four.py --hours 1
    selfplay serve --game-file connect_four.py
"""

ROWS, COLUMNS = 6, 7


class ConnectFour:
    """Two players drop discs into seven columns, in turn. Four in a row win, in any direction; a full board is a draw.

    Notation: the column, `a` to `g`.
    """

    id = "python-connect4"
    title = "Connect Four, 6×7, in Python"
    side_names = ("Red", "Yellow")
    action_count = COLUMNS
    grid = (ROWS, COLUMNS)
    max_plies = ROWS * COLUMNS
    symmetries = "left-right"
    discs_fall = True

    def __init__(self):
        # Whose disc lies in each cell, row by row from the top.
        self.board = [None] * (ROWS * COLUMNS)
        self.discs = 0
        self.result = None

    def copy(self):
        other = ConnectFour.__new__(ConnectFour)
        other.board, other.discs, other.result = self.board.copy(), self.discs, self.result
        return other

    def side_to_move(self):
        return self.discs % 2

    def outcome(self):
        return self.result

    def legal_actions(self):
        return [] if self.result is not None else [c for c in range(COLUMNS) if self.board[c] is None]

    def play(self, column):
        side = self.side_to_move()
        cell = column + (ROWS - 1) * COLUMNS
        while self.board[cell] is not None:
            cell -= COLUMNS
        self.board[cell] = side
        self.discs += 1
        if self.makes_four(cell, side):
            self.result = side
        elif self.discs == ROWS * COLUMNS:
            self.result = "draw"

    def cells(self):
        return self.board

    @staticmethod
    def action_name(column):
        return "abcdefg"[column]

    def makes_four(self, cell, side):
        row, column = divmod(cell, COLUMNS)
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            count = 1
            for sign in (1, -1):
                r, c = row + sign * down, column + sign * right
                while 0 <= r < ROWS and 0 <= c < COLUMNS and self.board[r * COLUMNS + c] == side:
                    count += 1
                    r, c = r + sign * down, c + sign * right
            if count >= 4:
                return True
        return False
