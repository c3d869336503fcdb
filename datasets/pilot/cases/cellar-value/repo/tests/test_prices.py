import pytest

from cellarbook import PriceList


def test_unknown_wine():
    with pytest.raises(LookupError):
        PriceList().price("Gamay")
