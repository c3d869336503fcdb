# canary-pilot-9561efb4dae9240236c2f43512b117b9
from scorebook.game import read_game, score_of
from scorebook.movetext import moves, result
from scorebook.tags import tags, without_tags

HALL = '[Event "Open"] [White "Ada King"] [Black "Bo"] [Result "0-1"] 1. f3 {?} e5 2. g4 {??} Qh4# 0-1'


def test_three_remarks_and_their_moves():
    text = "{Start} 1. Nf3 d5 {a} {b} 2. g3 c5 3. Bg2 {}Nc6 1/2-1/2"
    assert moves(text) == ["Nf3", "d5", "g3", "c5", "Bg2", "Nc6"]


def test_remarks_over_several_lines():
    assert moves("1. e4 {a word\nand another} c5 {2. Nf3\nis usual} 2. c3 d5") == ["e4", "c5", "c3", "d5"]


def test_tags_side_by_side():
    assert tags('[White "Ada"] [Black "Bo"]') == {"White": "Ada", "Black": "Bo"}
    assert tags('[Site ""][Round "3"]') == {"Site": "", "Round": "3"}


def test_a_game_from_the_tournament_hall():
    expected = {"white": "Ada King", "black": "Bo", "moves": ["f3", "e5", "g4", "Qh4#"], "result": "0-1"}
    assert read_game(HALL) == expected


def test_points_of_the_evening():
    second = read_game('[White "Bo"] [Black "Ada King"]\n1. d4 {x} d5 {y} 1/2-1/2')
    assert [score_of(player, [read_game(HALL), second]) for player in ("Bo", "Ada King", "Cy")] == [3, 1, 0]


def test_one_remark_over_lines():
    assert moves("1. b3 {quiet,\nbut\nsound} e5 2. Bb2") == ["b3", "e5", "Bb2"]
    assert moves("{nobody came} *") == []


def test_names_of_several_words():
    assert tags('[White "van der Berg, Jo"]\n[Round "4.1"]') == {"White": "van der Berg, Jo", "Round": "4.1"}
    assert without_tags('[Black "Bo"]\n\n1. e4 e5') == "1. e4 e5"


def test_how_games_end():
    assert [result(text) for text in ("1. e4 1-0", "1. e4 e5", "", "1. d4 *")] == ["1-0", "*", "*", "*"]
