"""What a customer puts on the counter."""

from dataclasses import dataclass, field


@dataclass
class Article:
    name: str
    net: float
    category: str


@dataclass
class Basket:
    articles: list = field(default_factory=list)

    def add(self, name, net, category):
        """Put one article in, and return the basket so that calls can be chained."""
        self.articles.append(Article(name, net, category))
        return self
