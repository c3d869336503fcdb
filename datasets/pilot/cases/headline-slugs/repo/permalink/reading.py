"""What an address tells about an article, without looking the article up."""


def month_of(address: str) -> tuple[int, int]:
    """Year and month of publication; ValueError if this is not the address of an article."""
    parts = address.strip("/").split("/")
    if len(parts) < 3:
        raise ValueError(f"no article lives at {address}")
    year, month, _ = parts[-3:]
    return int(year), int(month)
