"""A site remembers which addresses it has handed out."""

from permalink.slug import numbered, slugify


class Site:
    def __init__(self, root: str = "") -> None:
        self.root = root.rstrip("/")
        self._taken: dict[str, set[str]] = {}

    def publish(self, year: int, month: int, headline: str) -> str:
        """Hand out the address of a new article."""
        folder = f"{self.root}/{year}/{month:02d}"
        taken = self._taken.setdefault(folder, set())
        slug = numbered(slugify(headline), taken)
        taken.add(slug)
        return f"{folder}/{slug}"
