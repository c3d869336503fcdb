from giftshop.checkout import order_total


def slip(order):
    """The text of the slip, an item to a line and the sum below."""
    lines = [f"{item.name} {item.price}" for item in order.items]
    return lines + [f"total {order_total(order)}"]
