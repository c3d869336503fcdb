"""Invoices as text."""


def amount(cents):
    """12345 becomes '123.45'."""
    return f"{cents // 100}.{cents % 100:02d}"


def paper(invoice):
    """The lines of the printed invoice."""
    rows = [f"{line.quantity} x {line.description} at {amount(line.unit_price)}" for line in invoice.lines]
    return [f"Invoice {invoice.number}", *rows, f"Due {amount(invoice.due())}"]
