"""Boundary: the tools that answer are the tools that were declared, no more, no other and no wider.

Takes    what is offered (names, arguments, types, defaults, descriptions), the limits that are enforced, and the frozen
         version, where there is one.
Gives    the version of the surface, which freeze writes into the manifest.
Refuses  (Damaged, before any model is called) a tool that is added, removed, renamed or offered twice; an argument
         that is added, removed or renamed, has another type or default, or could name a root; other words; other
         limits; a version other than the frozen one. It names the tool and what changed, every change at once.
Source   DESIGN.md, "Tool boundary".
"""

from collections.abc import Iterator, Sequence

from tasks.program.surface import TOOLS, surface_version
from tasks.records.errors import Damaged
from tasks.records.tools import LIMITS, Argument, ToolLimits, ToolSpec

ROOT_LIKE = frozenset(
    {
        "root", "base", "basedir", "cwd", "chdir", "workdir", "dir", "directory", "folder", "host", "home", "mount",
        "prefix", "parent", "repo", "repository", "project", "tree", "snapshot", "workspace", "absolute", "fd",
    }
)  # fmt: skip
"""Words that an argument's name may not hold: the application binds the root, and no model ever names it."""


def assert_surface(
    offered: Sequence[ToolSpec],
    enforced: ToolLimits,
    frozen: str | None = None,
    declared: Sequence[ToolSpec] = TOOLS,
    allowed: ToolLimits = LIMITS,
) -> str:
    """The version of the surface. Raises Damaged."""
    problems = [*_tools(offered, declared), *_limits(enforced, allowed)]
    version = surface_version(tuple(declared), allowed)
    if frozen is not None and version != frozen:
        problems.append(f"the declared surface is version {version[:12]}, the manifest froze {frozen[:12]}")
    if problems:
        raise Damaged(f"tool surface: {'; '.join(problems)}")
    return version


def _tools(offered: Sequence[ToolSpec], declared: Sequence[ToolSpec]) -> Iterator[str]:
    known, named = {tool.name: tool for tool in declared}, [tool.name for tool in offered]
    yield from (f"tool {name!r} is declared and not offered" for name in known if name not in named)
    yield from (f"tool {name!r} is offered twice" for name in sorted({name for name in named if named.count(name) > 1}))
    for tool in offered:
        yield from _root_like(tool)
        if tool.name not in known:
            yield f"tool {tool.name!r} is offered and not declared"
        else:
            yield from _changes(tool, known[tool.name])


def _root_like(tool: ToolSpec) -> Iterator[str]:
    for argument in tool.arguments:
        words = set(argument.name.casefold().split("_"))
        if ROOT_LIKE & words or argument.name.casefold().endswith("root") or "path" in argument.type.casefold():
            yield f"tool {tool.name!r} has an argument {argument.shown()!r} that could name a root"


def _changes(tool: ToolSpec, declared: ToolSpec) -> Iterator[str]:
    ours, theirs = _shown(tool.arguments), _shown(declared.arguments)
    if ours != theirs:
        yield f"tool {tool.name!r} takes ({', '.join(ours)}), expected ({', '.join(theirs)})"
    if tool.description != declared.description:
        yield f"tool {tool.name!r} is described by other words than the declared ones"


def _shown(arguments: Sequence[Argument]) -> list[str]:
    return [f"{each.name}: {each.type}{'' if each.default is None else f' = {each.default!r}'}" for each in arguments]


def _limits(enforced: ToolLimits, allowed: ToolLimits) -> Iterator[str]:
    for name, most in allowed.body().items():
        got = getattr(enforced, name)
        if got != most:
            yield f"limit {name} is {got:,}, expected {most:,}"
