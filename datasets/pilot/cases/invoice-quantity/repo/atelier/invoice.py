"""Invoices and what they add up to."""

from dataclasses import dataclass

FREE_DELIVERY_FROM = 500_00
DELIVERY = 18_00


@dataclass(frozen=True)
class Invoice:
    """A number such as 'A-0007', and lines."""

    number: str
    lines: tuple = ()

    def total(self):
        """Cents for the goods, without delivery."""
        return sum(line.unit_price for line in self.lines)

    def delivery(self):
        """Cents for delivery."""
        goods = self.total()
        return 0 if goods == 0 or goods >= FREE_DELIVERY_FROM else DELIVERY

    def due(self):
        """Cents to be paid."""
        return self.total() + self.delivery()


def next_number(number):
    """'A-0007' is followed by 'A-0008'."""
    series, counter = number.split("-")
    return f"{series}-{int(counter) + 1:04d}"
