"""Balances over time."""


def running_balances(entries, opening=0):
    """The balance after each entry, oldest entry first.

    Money that was there before the first entry is given as `opening`.
    """
    balance = opening
    balances = []
    for entry in entries:
        balance = balance - entry.amount
        balances.append(balance)
    return balances


def closing_balance(entries, opening=0):
    """What is left at the end."""
    balances = running_balances(entries, opening)
    return balances[-1] if balances else opening


def first_overdraft(entries, opening=0):
    """The day on which the fund first went below zero, or an empty string."""
    for entry, balance in zip(entries, running_balances(entries, opening)):
        if balance < 0:
            return entry.day
    return ""
