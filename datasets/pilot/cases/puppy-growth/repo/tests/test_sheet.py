import pytest

from litterbook import Puppy
from litterbook.sheet import line


class TestLine:
    def test_never_on_the_scales(self):
        assert line(Puppy("Clover")) == "Clover: 0 times weighed, +0 g"

    def test_two_weighings(self):
        assert line(Puppy("Moss").weigh(1, 310).weigh(8, 655)) == "Moss: 2 times weighed, +345 g"


class TestPuppy:
    def test_no_weight(self):
        with pytest.raises(ValueError):
            Puppy("Moss").weigh(1, 0)
