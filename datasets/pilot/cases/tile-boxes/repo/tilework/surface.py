"""Walls and floors."""

JOINT_MM = 3


def fitting(length_mm, edge_mm):
    """Tiles along a length, with a joint between any two; a tile that has to be cut is a tile."""
    whole, rest = divmod(length_mm + JOINT_MM, edge_mm + JOINT_MM)
    return whole + 1 if rest else whole


class Surface:
    """A rectangle to be tiled."""

    def __init__(self, width_mm, height_mm):
        self.width_mm = width_mm
        self.height_mm = height_mm

    def tiles(self, tile):
        """Tiles on the surface, cut ones included."""
        return fitting(self.width_mm, tile.edge_mm) * fitting(self.height_mm, tile.edge_mm)
