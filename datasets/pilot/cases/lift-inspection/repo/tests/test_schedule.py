from datetime import date

from hoistcheck.schedule import inspections


def test_goods_lift_of_the_brewery():
    assert inspections(date(2029, 8, 31), 6, 1) == [date(2030, 2, 28)]


def test_middle_of_the_month():
    assert inspections(date(2030, 4, 15), 12, 2) == [date(2031, 4, 15), date(2032, 4, 15)]
