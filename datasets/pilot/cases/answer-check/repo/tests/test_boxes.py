from wordcards.boxes import next_box


def test_up_and_down():
    assert [next_box(3, True), next_box(5, True), next_box(4, False)] == [4, 5, 1]
