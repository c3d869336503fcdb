"""The wire carries bounded JSON objects and nothing else."""

import io

import pytest

from tasks.worker.wire import MAX_FRAME_BYTES, Channel, WireError


def channel_of(incoming: bytes) -> Channel:
    return Channel(io.BytesIO(incoming), io.BytesIO())


def test_a_frame_comes_out_as_it_went_in():
    """Unicode, nesting and an embedded newline survive."""
    out = io.BytesIO()
    Channel(io.BytesIO(), out).send({"op": "x", "text": "é\n\u2028", "list": [1, None, {"a": 2.5}]})
    assert channel_of(out.getvalue()).receive() == {"op": "x", "text": "é\n\u2028", "list": [1, None, {"a": 2.5}]}


@pytest.mark.parametrize(
    ("incoming", "said"),
    [
        (b"", "gone"),
        (b'{"op": "half"', "gone"),
        (b"[1, 2]\n", "no JSON object"),
        (b"\xff\xfe\n", "no JSON"),
        (b"[" * 100_000 + b"\n", "no JSON"),
        (b"x" * (MAX_FRAME_BYTES + 1), "over the limit"),
    ],
    ids=["end", "cut", "list", "bytes", "bomb", "flood"],
)
def test_what_is_no_frame_is_told_apart(incoming, said):
    """The end of the pipe, a cut line, another type, no JSON, a nesting bomb and a flood each raise one error."""
    with pytest.raises(WireError, match=said):
        channel_of(incoming).receive()


def test_a_number_that_is_none_does_not_leave():
    """NaN has no JSON and is refused on the sending side."""
    with pytest.raises(ValueError, match="JSON compliant"):
        channel_of(b"").send({"score": float("nan")})
