"""Positions, and many games at once."""

import copy
import pickle
import re

import numpy as np
import pytest

import selfplay_trainer as selfplay
from selfplay_trainer import Game, Position, SelfplayError, VectorEnv

GAMES = [game.id for game in selfplay.games()]


def random_position(game: str, plies: int, seed: int = 1) -> Position:
    choose = np.random.default_rng(seed)
    position = Position(game)
    for _ in range(plies):
        if position.is_terminal:
            break
        position.play(int(choose.choice(position.legal_actions())))
    return position


@pytest.mark.parametrize("game", GAMES)
def test_a_position_says_the_same_in_all_its_ways(game: str) -> None:
    position = random_position(game, 12)
    rules = Game(game)
    assert position.game == rules and hash(position.game) == hash(rules)
    actions = position.legal_actions()
    assert actions.dtype == np.int64
    assert [rules.action_name(action) for action in actions] == position.legal_moves()
    assert [rules.parse_action(move) for move in position.legal_moves()] == list(actions)
    assert list(np.flatnonzero(position.action_mask())) == sorted(actions)
    planes = position.observation()
    assert planes.shape == rules.shape == (len(rules.plane_names), *rules.shape[1:])
    assert planes.dtype == np.float32 and np.abs(planes).max() <= 1
    for same in [rules.position(position.moves), Position(game, " ".join(position.moves)), Position(game, position.actions),
                 position.copy(), copy.deepcopy(position), pickle.loads(pickle.dumps(position))]:
        assert same == position and hash(same) == hash(position) and same.moves == position.moves
    if not position.is_terminal:
        other = position.copy()
        other.play(int(actions[0]))
        assert other != position and len(other.moves) == len(position.moves) + 1
    assert str(position) and repr(position).startswith(f"Position('{game}'")


@pytest.mark.parametrize("game", GAMES)
def test_a_vector_environment_plays_what_positions_play(game: str) -> None:
    games = VectorEnv(game, 5, seed=3)
    single = [Position(game) for _ in range(len(games))]
    ended = 0
    for _ in range(150):
        for row, position in enumerate(single):
            assert np.array_equal(games.observations[row], position.observation())
            assert np.array_equal(games.action_mask[row], position.action_mask())
            assert games.side_to_move[row] == position.side_to_move
        actions = games.random_actions()
        games.step(actions)
        for row, action in enumerate(actions):
            single[row].play(int(action))
            over = single[row].is_terminal
            assert games.terminated[row] == over
            assert tuple(games.rewards[row]) == (single[row].returns or (0, 0))
            if over:
                ended += 1
                single[row] = Position(game)
            assert games.position(row) == single[row] and games.position(row).actions == single[row].actions
    assert ended or game in ("pente", "pente-13"), "no game ended"


def test_random_actions_follow_their_seed_and_are_all_tried() -> None:
    draws = [[VectorEnv("connect4", 500, seed=seed).random_actions() for _ in range(2)] for seed in (1, 2)]
    assert all(np.array_equal(first, second) for first, second in draws)
    assert not np.array_equal(draws[0][0], draws[1][0])
    assert set(draws[0][0]) == set(range(7))


def test_arrays_are_the_same_ones_all_the_time() -> None:
    games = VectorEnv("tictactoe", 3)
    seen = games.observations
    before = seen.copy()
    games.step(games.random_actions())
    assert games.observations is seen and not np.array_equal(seen, before)


def test_the_mask_is_no_permission() -> None:
    games = VectorEnv("connect4", 1)
    for _ in range(6):
        games.step(np.array([0]))
    games.action_mask[:] = 1
    with pytest.raises(SelfplayError, match="game 0: 0 .* is not legal here"):
        games.step(np.array([0]))
    assert len(games.position(0).moves) == 6


def test_what_is_wrong_is_said_and_changes_nothing() -> None:
    def refused(what: object, words: str) -> None:
        assert callable(what)
        with pytest.raises(SelfplayError, match=re.escape(words)):
            what()

    refused(lambda: Game("conect4"), "did you mean `connect4`?")
    refused(lambda: Position("connect4", "4 4 9"), "action 3: `9` is not an action of connect4: expected a column 1-7")
    position = Position("connect4", "4 4 4 4 4 4")
    refused(lambda: position.play("4"), "4 is not legal here")
    refused(lambda: position.play(7), "7 is not an action of connect4: it has 7")
    assert position == Position("connect4", "4 4 4 4 4 4") and len(position.moves) == 6
    with pytest.raises(TypeError, match="a number or text"):
        position.play(1.5)  # type: ignore[arg-type]
    over = Position("tictactoe", "a1 b1 a2 b2 a3")
    assert over.is_terminal and over.returns == (1, -1) and over.legal_moves() == []
    refused(lambda: over.play("c3"), "the game is over")

    games = VectorEnv("connect4", 2)
    before = games.observations.copy()
    refused(lambda: games.step(np.array([3, 9])), "game 1: 9 is not an action of connect4")
    refused(lambda: games.step(np.array([-1, 3])), "game 0: -1 is not an action of connect4")
    refused(lambda: games.step(np.array([3])), "1 actions for 2 games")
    with pytest.raises(TypeError, match="2 int64 numbers"):
        games.step([3, 3])  # type: ignore[arg-type]
    assert np.array_equal(games.observations, before)
    refused(lambda: VectorEnv("connect4", 0), "at least one game")
    refused(lambda: games.position(2), "there is no game 2")


@pytest.mark.parametrize("game", GAMES)
def test_pictures_are_documents(game: str) -> None:
    from xml.etree import ElementTree

    svg = random_position(game, 15).svg()
    root = ElementTree.fromstring(svg)
    assert root.tag.endswith("svg") and "piece" in svg and "last" in svg
    assert "base64," in Position(game)._repr_html_()
