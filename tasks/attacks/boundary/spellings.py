"""Spellings: the ways of writing a path that leaves a root, or enters what is shut inside of it.

Takes    the folders of a Ground, as text.
Gives    (name, kind, path) of every spelling.
Source   OWASP path traversal; CVE-2014-9390 and later (`.git` as other file systems spell it); Unicode TR 36.
"""

from collections.abc import Iterator

Spelling = tuple[str, str, str]
SECRET = "outside/secret.py"  # noqa: S105 - a path
UP = f"../{SECRET}"


def spellings(host: str) -> Iterator[Spelling]:
    """`host` is the absolute path of the folder that holds the repository."""
    yield from _escapes(host)
    yield from _foreign(host)
    yield from _disguised()
    yield from _shut_in()


def _escapes(host: str) -> Iterator[Spelling]:
    """Relative and absolute ways out."""
    named = {
        "up": UP, "up from a folder": f"pkg/../{UP}", "up from nowhere": f"none/../{UP}",
        "up through here": f"./{UP}",
        "up doubly slashed": f"..//{SECRET}", "up after a dot": f"pkg/./../{UP}",
        "up twice and down": f"../../{host[1:]}/{SECRET}",
        "far up": "../" * 40 + f"{host[1:]}/{SECRET}", "absolute": f"{host}/{SECRET}",
        "absolute, two slashes": f"/{host}/{SECRET}",
        "absolute through here": f"{host}/repo/{UP}", "slash first": f"/{UP}", "slash last": f"{UP}/",
        "blank first": f" {UP}",
        "blank last": f"{UP} ", "dot last": f"{UP}.", "home": f"~/{UP}", "a variable": f"$HOME/{UP}",
        "a variable in braces": f"${{PWD}}/{UP}",
        "own root of a process": f"/proc/self/root{host}/{SECRET}", "own folder of a process": f"/proc/self/cwd/{UP}",
        "environment of a process": "/proc/self/environ", "a descriptor": "/dev/fd/0", "standard input": "/dev/stdin",
        "up to a process": "../" * 40 + "proc/self/environ", "password file": "/etc/passwd",
        "up to the password file": "../" * 40 + "etc/passwd",
        "a list of paths": f"pkg/mod.py:{UP}", "two lines": f"pkg/mod.py\n{UP}", "a wildcard": "../outside/*",
        "braces": "../{outside,x}/secret.py",
    }  # fmt: skip
    yield from ((name, "escape", path) for name, path in named.items())


def _foreign(host: str) -> Iterator[Spelling]:
    """As other systems write it."""
    back = UP.replace("/", "\\")
    named = {
        "backslashes": back, "one backslash": f"..\\{SECRET}", "mixed slashes": f"..\\/{SECRET}",
        "a drive": f"C:{UP}",
        "a drive's root": f"C:\\{back}", "UNC": f"\\\\localhost\\c$\\{back}",
        "UNC with slashes": f"//localhost{host}/{SECRET}",
        "extended": f"\\\\?\\{back}", "a device": "\\\\.\\pipe\\x", "a stream": "pkg/mod.py::$DATA",
        "a URL": f"file://{host}/{SECRET}",
        "a URL of the net": "http://127.0.0.1/", "a data URL": "data:text/plain,x", "CON": "CON",
        "NUL as a name": "pkg/NUL",
    }  # fmt: skip
    yield from ((name, "foreign form", path) for name, path in named.items())


def _disguised() -> Iterator[Spelling]:
    """Ways out behind encodings and characters that somebody might take away or translate."""
    named = {
        "NUL inside": f"pkg/mod.py\0/../{UP}", "NUL first": f"\0{UP}", "NUL last": f"{UP}\0",
        "escaped dots": "%2e%2e/outside/secret.py",
        "escaped slash": "..%2foutside%2fsecret.py", "escaped twice": "%252e%252e%252foutside%252fsecret.py",
        "overlong": "..%c0%afoutside/secret.py", "surrogate": f"..\udc2f{SECRET}",
        "half a surrogate pair": f"\ud800{UP}",
        "full-width dots": f"\uff0e\uff0e/{SECRET}", "one leader for two dots": f"\u2025/{SECRET}",
        "full-width slash": f"..\uff0f{SECRET}",
        "division slash": f"..\u2215{SECRET}", "fraction slash": f"..\u2044{SECRET}",
        "zero-width in dots": f".\u200b./{SECRET}",
        "joiner in dots": f".\u200d./{SECRET}", "right to left": f"\u202e{UP}", "isolate": f"\u2066{UP}\u2069",
        "byte order mark": f"\ufeff{UP}",
        "soft hyphen": f"..\u00ad/{SECRET}", "tab": f"\t{UP}", "carriage return": f"..\r/{SECRET}",
        "escape": f"\x1b[2K{UP}",
        "backspace": f"x\b{UP}", "delete": f"x\x7f{UP}", "line separator": f"pkg\u2028{UP}", "upper case": UP.upper(),
        "not NFC": f"pkg/../{UP}/e\u0301", "dotless i": "../outs\u0131de/secret.py",
        "long s": "../out\u017fide/secret.py", "Kelvin sign": "pkg/\u212a",
        "very long": f"{'a/' * 3000}{'../' * 3001}{SECRET}", "one very long name": "a" * 5000,
        "a megabyte": "../" * 350_000 + SECRET,
        "deep": "/".join("d" * 1 for _ in range(500)) + f"/{UP}", "empty": "", "dot": ".", "dots": "..",
        "three dots": f".../{SECRET}",
    }  # fmt: skip
    yield from ((name, "disguise", path) for name, path in named.items())


def _shut_in() -> Iterator[Spelling]:
    """Version control and secrets that lie in the repository itself, planted beside each spelling."""
    shut = (
        ".git/config", ".GIT/config", ".Git/config", ".git./config", ".git /config", ".git::$INDEX_ALLOCATION/config",
        "git~1/config", "GIT~2/config", ".g\u200cit/config", ".gi\u200et/config", "\ufeff.git/config",
        "\uff0egit/config", "pkg/.git/config",
        "pkg/../.git/config", ".hg/hgrc", ".svn/entries", ".env", ".ENV", ".env.production", ".Env.Local",
        "pkg/.env", ".envrc", "id_rsa",
        "ID_RSA", "deploy/id_ed25519", "server.pem", "server.KEY", ".netrc", ".pypirc", ".npmrc", ".git-credentials",
        ".venv/pyvenv.cfg",
        "node_modules/x/index.js", "__pycache__/mod.cpython-311.pyc",
    )  # fmt: skip
    yield from ((f"shut in: {path}", "shut in", path) for path in shut)
