"""How a walk leaves a statement: by return, break, continue, a failed assert, or an exception of the walked code."""

from typing import Any

from tasks.lm.offline.walk.values import Class, Instance


class Signal(BaseException):
    """Control flow of the walked code; never an error of ours."""


class Returned(Signal):
    """A return statement on its way to the call."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class Broke(Signal):
    """A break statement."""


class Continued(Signal):
    """A continue statement."""


class Asserted(AssertionError):
    """A failed assert; `sides` are (actual, expected) where it compared two values for equality."""

    def __init__(self, sides: tuple[Any, Any] | None) -> None:
        super().__init__("assertion failed")
        self.sides = sides


class Raised(Exception):
    """An instance of a walked exception class, raised."""

    def __init__(self, instance: Instance) -> None:
        super().__init__(instance.cls.name)
        self.instance = instance


def is_a(error: Exception, kind: Any) -> bool:
    """Whether a walked exception is of a kind: a named exception of Python, or a walked class."""
    if isinstance(error, Raised):
        lineage = error.instance.cls.lineage
        natives = [base for cls in lineage for base in cls.names.get("__native__", ())]
        return kind in lineage if isinstance(kind, Class) else any(issubclass(base, kind) for base in natives)
    return isinstance(kind, type) and isinstance(error, kind)
