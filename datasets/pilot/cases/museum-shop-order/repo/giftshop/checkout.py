def order_total(order):
    """Pence to pay for an order."""
    full = sum(item.cost for item in order.items)
    return friends_price(full) if order.friend else full


def friends_price(pence):
    """A tenth off."""
    return pence * 9 // 10


def change(order, handed_over):
    """Pence to give back; ValueError if the visitor handed over too little."""
    rest = handed_over - order_total(order)
    if rest < 0:
        raise ValueError(f"{-rest} pence short")
    return rest
