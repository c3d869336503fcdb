"""Display of amounts. Arithmetic never happens on what this module returns."""


def display(cents: int) -> str:
    """Write 123456 as '1234.56'.

    >>> display(5)
    '0.05'
    """
    sign = "-" if cents < 0 else ""
    whole, rest = divmod(abs(cents), 100)
    return f"{sign}{whole}.{rest:02d}"
