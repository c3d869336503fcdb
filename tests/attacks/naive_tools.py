"""Positive controls: repository tools as they are usually written, and as they are usually repaired.

Nothing here is the product's. The repair resolves a path before it is compared with the root, excludes the names that
everybody thinks of, and bounds the lines of an answer. It still follows links to files in a search, hard links in a
read, shows `.env.production`, and returns a line of any length.
"""

import ast
import re

EXCLUDED = {".git", ".venv", "venv", "node_modules", "__pycache__", ".env", ".ssh"}


class NaiveTools:
    """Whatever is asked for, joined to the root."""

    def __init__(self, root):
        self.root = root

    def answer(self, tool, arguments):
        tools = {"search_repository": self.search, "read_file": self.read, "inspect_symbol": self.symbol}
        try:
            return tools[tool](**arguments)
        except (KeyError, TypeError, ValueError, OSError, re.error) as error:
            return type(error).__name__

    def everything(self):
        return "\n".join(f"{path}: {self.text(path)}" for path in self.files())

    def files(self):
        return [path for path in sorted(self.root.rglob("*")) if path.is_file()]

    def text(self, path):
        return path.read_text(errors="replace")

    def place(self, path):
        return self.root / path

    def read(self, path, start_line=1, end_line=None):
        place = self.place(path)
        if not place.is_file():
            return f"no file {path[:100]}"
        return "\n".join(self.text(place).splitlines()[start_line - 1 : end_line])

    def search(self, query):
        lines = ((path, line) for path in self.files() for line in self.text(path).splitlines())
        return "\n".join(f"{path.relative_to(self.root)}: {line}" for path, line in lines if query in line)

    def symbol(self, name):
        found = []
        for path in (path for path in self.files() if path.suffix == ".py"):
            try:
                tree = ast.parse(self.text(path))
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue
            found += [ast.unparse(node) for node in tree.body if name in names_of(node)]
        return "\n".join(found)


class RepairedTools(NaiveTools):
    """The usual repair."""

    def files(self):
        return [path for path in super().files() if not EXCLUDED & set(path.relative_to(self.root).parts)]

    def place(self, path):
        place = (self.root / path).resolve()
        if not place.is_relative_to(self.root.resolve()) or EXCLUDED & set(
            place.relative_to(self.root.resolve()).parts
        ):
            raise ValueError(path)
        return place

    def read(self, path, start_line=1, end_line=None):
        return "\n".join(super().read(path, start_line, end_line).split("\n")[:120])

    def search(self, query):
        return "\n".join(super().search(query).split("\n")[:20])

    def symbol(self, name):
        return "\n".join(super().symbol(name).split("\n")[:120])


def names_of(node):
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return [node.name] if hasattr(node, "name") else []
