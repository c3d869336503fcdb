"""What the merchant is asked for."""

SPARE_ONE_IN = 20


def tiles_needed(surfaces, tile):
    """Tiles for all surfaces and the spare ones."""
    laid = sum(surface.tiles(tile) for surface in surfaces)
    return laid + laid // SPARE_ONE_IN


def boxes(count, tile):
    """Boxes to be ordered for this many tiles."""
    if count < 0:
        raise ValueError("nobody needs less than no tiles")
    return count // tile.per_box


def left_over(count, tile):
    """Tiles that remain when the work is done."""
    return boxes(count, tile) * tile.per_box - count


def order_price(surfaces, tile):
    """Cents for the whole order."""
    return boxes(tiles_needed(surfaces, tile), tile) * tile.box_price


def order_line(surfaces, tile):
    """The order as one line of text."""
    count = tiles_needed(surfaces, tile)
    return f"{boxes(count, tile)} x {tile.name} ({count} tiles)"
