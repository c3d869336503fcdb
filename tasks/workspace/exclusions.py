"""Exclusions: names that never enter a tree, in every spelling that some file system takes for the same.

Takes    the name of one file or folder, and the patterns that a spec adds.
Gives    whether it stays out.
Refuses  nothing; a spec can add patterns, and nothing takes one of the table away.
Covered      capitals, compatibility forms, trailing dots and blanks, invisible characters (HFS+ ignores them), NTFS
             streams (`.git::$INDEX_ALLOCATION`), 8.3 names of dot files (`GIT~1`, `ENV~1`).
Not covered  a secret under an ordinary name. Source files stay in whatever they are called: `credentials.py` and
             `id_map.go` are code under repair far more often than they are secrets.
Source   DESIGN.md, "Tool boundary". A table in Python and not TOML: so it is part of our own source revision.
"""

import re
import unicodedata
from collections.abc import Iterable
from fnmatch import translate
from functools import lru_cache

from tasks.records.fingerprint import fingerprint
from tasks.workspace.paths import VERSION_CONTROL

TABLE: dict[str, tuple[str, ...]] = {
    "history": (*sorted(VERSION_CONTROL), ".pijul", "_darcs", ".fslckout"),
    "environments": (
        ".venv", "venv", ".virtualenv", "node_modules", "bower_components", "__pypackages__", ".eggs", "*.dist-info",
        "*.egg-info", "*.pth",
    ),
    "caches": (
        "__pycache__", "*.pyc", "*.pyo", ".cache", ".*_cache", ".hypothesis", ".tox", ".nox", ".ipynb_checkpoints",
        ".coverage", ".coverage.*", "htmlcov", ".gradle", ".terraform", ".next", ".nuxt", ".parcel-cache", ".turbo",
        ".sass-cache", ".yarn", ".pnpm-store", ".npm", ".bundle", ".proveout", ".idea", ".vscode", ".ds_store",
    ),
    "settings": (".env*", "*.env", "*.tfstate", "*.tfstate.*", "*.tfvars"),
    "keys": (
        "*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.kdb", "*.kdbx", "*.jks", "*.keystore", "*.ppk", "*.gpg", "*.pgp",
        "*.ovpn", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*",
    ),
    "credentials": (
        ".aws", ".azure", ".gcloud", ".ssh", ".gnupg", ".kube", ".docker", ".password-store", ".secrets", ".netrc",
        "_netrc", ".pgpass", ".my.cnf", ".pypirc", ".npmrc", ".git-credentials", ".htpasswd", ".dockercfg",
        ".dockerconfigjson", ".boto", ".s3cfg", ".vault-token", ".databrickscfg", ".terraformrc", ".credentials*",
    ),
}  # fmt: skip
# Files alone, and only where the name does not end like source: folders and modules have these names as well.
SECRET_FILES = (
    "id_*", "credentials*", "*credentials.json", "secrets.*", "client_secret*", "*service-account*",
    "*service_account*", "*serviceaccount*", "kubeconfig*",
)  # fmt: skip
SOURCE_FILES = (
    "*.py", "*.pyi", "*.pyx", "*.c", "*.h", "*.cc", "*.cpp", "*.hpp", "*.cs", "*.go", "*.rs", "*.java", "*.kt", "*.js",
    "*.jsx", "*.ts", "*.tsx", "*.rb", "*.php", "*.swift", "*.scala", "*.sh", "*.sql", "*.md", "*.rst", "*.html",
)  # fmt: skip
SHORT_NAME = re.compile(r"(?P<stem>[^.~]{1,6})~\d+(\..*)?")


def folded(name: str) -> str:
    """The name as the most forgiving file system compares it."""
    return _plain(name).partition(":")[0].rstrip(". ").lstrip(" ")


def _plain(name: str) -> str:
    if not name.isascii():
        name = "".join(each for each in unicodedata.normalize("NFKC", name) if not _is_invisible(each))
    return name.casefold()


def _is_invisible(character: str) -> bool:
    return unicodedata.category(character) == "Cf" or "\ufe00" <= character <= "\ufe0f" or character == "\u034f"


class Exclusions:
    """The table and a spec's own patterns, compiled once: a walk asks for every name."""

    def __init__(self, added: tuple[str, ...] = ()) -> None:
        self._any = _one_of((*(each for names in TABLE.values() for each in names), *map(_plain, added)))
        self._files, self._source = _one_of(SECRET_FILES), _one_of(SOURCE_FILES)

    def holds(self, name: str, *, is_folder: bool) -> bool:
        """Whether this file or folder stays out."""
        plain = folded(name)
        if self._any.fullmatch(plain) or (not is_folder and self._is_secret(plain)):
            return True
        short = SHORT_NAME.fullmatch(plain)
        return short is not None and self._any.fullmatch(f".{short['stem']}") is not None

    def _is_secret(self, plain: str) -> bool:
        return self._files.fullmatch(plain) is not None and self._source.fullmatch(plain) is None


def _one_of(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(translate, patterns)))


def table_fingerprint() -> str:
    """What an experiment froze of this table; 64 hex digits."""
    return fingerprint({"table": TABLE, "files": SECRET_FILES, "source": SOURCE_FILES})


@lru_cache(maxsize=16)
def exclusions(added: tuple[str, ...] = ()) -> Exclusions:
    """The compiled table with these patterns added."""
    return Exclusions(added)
