"""Exclusions: every spelling of what stays out, near names that stay in, and patterns that only add."""

import pytest
from pydantic import TypeAdapter, ValidationError

from tasks.records.spec import NamePattern
from tasks.workspace.exclusions import exclusions

STAYS_OUT = [
    ".git", ".GIT", ".Git", "GIT~1", "git~2", ".git.", ".git ", ".git. .", ".git::$INDEX_ALLOCATION", ".g\u200dit",
    ".g\ufeffit", ".\u202egit", ".gi\ufe0ft", "\uff0egit", ".\uff27\uff29\uff34", ".hg", ".svn", ".jj",
    ".env", ".ENV", ".Env.Production", ".env.local", ".envrc", "prod.env", "ENV~1", "ENV~1.PRO", ".env .", ".e\u200cnv",
    "server.pem", "SERVER.PEM", "tls.key", "a.p12", "a.pfx", "vault.kdbx", "id_rsa", "id_ed25519.pub", "id_work",
    "credentials", "credentials.json", "Credentials.CSV", "credentials~", "gcp-service-account.json",
    "my_service_account_key.json",
    "application_default_credentials.json", "secrets.toml", "client_secret_1.json", "kubeconfig.yaml", "id_rsa.py",
    ".netrc", "_netrc", ".pypirc", ".npmrc", ".git-credentials", ".pgpass", ".dockercfg", ".htpasswd",
    "m.pyc", "x.pth", ".coverage", ".DS_Store", "prod.tfstate", "prod.tfvars",
]  # fmt: skip
FOLDERS = [
    ".aws", ".AWS", ".ssh", "SSH~1", ".gnupg", ".kube", ".docker", ".venv", "venv", "node_modules", "Node_Modules",
    "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".cache", ".tox", "a.dist-info", "a.egg-info",
]  # fmt: skip
STAYS_IN = [
    "credentials.py", "id_map.go", "secrets.py", "kubeconfig_test.py", "credentials.md", "environment.py", "env.py",
    "keys.py", "key", "pem.txt", "git.py", "gitignore", ".gitignore", "identity.json", "README.md", "a~1.py", "venv.py",
    "cache.py", "docker", "aws.py",
]  # fmt: skip


@pytest.mark.parametrize("name", STAYS_OUT)
def test_a_name_stays_out_in_every_spelling(name):
    """As some file system takes it, and as a file."""
    assert exclusions().holds(name, is_folder=False)


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_stays_out_in_every_spelling(name):
    """Whatever lies in it."""
    assert exclusions().holds(name, is_folder=True)


@pytest.mark.parametrize("name", STAYS_IN)
def test_what_only_looks_alike_comes_in(name):
    """Code about credentials is code."""
    assert not exclusions().holds(name, is_folder=False)


def test_a_package_may_be_named_like_a_secret_file():
    """`credentials/` is a folder of code; `id_rsa` is a key wherever it stands."""
    assert not exclusions().holds("credentials", is_folder=True)
    assert not exclusions().holds("id_tools", is_folder=True)
    assert exclusions().holds("id_rsa", is_folder=True)


def test_a_pattern_of_a_spec_adds_to_the_table_and_takes_nothing_away():
    """In any case, for files and folders."""
    more = exclusions(("*.CSV", "vendor"))
    assert more.holds("Data.csv", is_folder=False)
    assert more.holds("vendor", is_folder=True)
    assert all(more.holds(name, is_folder=False) for name in STAYS_OUT)
    assert not exclusions().holds("Data.csv", is_folder=False)


@pytest.mark.parametrize("pattern", ["", "!.env", "a/b", "a\\b", "a:b", "a\nb", "/", "x" * 256])
def test_a_pattern_that_is_no_name_is_refused(pattern):
    """Nor one that would mean the opposite in a list of another tool."""
    with pytest.raises(ValidationError):
        TypeAdapter(NamePattern).validate_python(pattern)
