"""Model strings and addresses: what is called is what the manifest records, and no key is ever part of it."""

import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from tasks.freeze import read_spec
from tasks.lm.addresses import settled
from tasks.lm.exchange import after_seconds
from tasks.lm.providers import evidence_class, provider_of, refuse_unknown
from tasks.lm.secrets import scrubbed
from tasks.records.errors import Refusal
from tasks.records.spec import LM

ROOT = Path(__file__).resolve().parents[2]
PILOT = (ROOT / "manifests" / "pilot.toml").read_text()
MARKED = "sk-live-0123456789abcdef"


@pytest.fixture(autouse=True)
def unmoved(monkeypatch):
    """No variable of this machine moves an address."""
    for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE", "OLLAMA_API_BASE", "ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("model", "base"),
    [
        ("openai/gpt-4o-mini", "https://api.openai.com/v1"),
        ("gpt-4o-mini", "https://api.openai.com/v1"),
        ("anthropic/claude-3-haiku-20240307", "https://api.anthropic.com"),
        ("ollama_chat/qwen3:latest", "http://localhost:11434"),
        ("groq/llama-3.1-8b-instant", "https://api.groq.com/openai/v1"),
        ("offline/rules", None),
    ],
)
def test_the_address_that_will_be_called_is_settled_before_it_is_frozen(model, base):
    """The provider's own address where nobody names another."""
    assert settled(LM(model=model)).api_base == base


def test_a_model_may_bring_its_address():
    """`model@address` is both; the spec may say it in two keys as well."""
    lm = LM(model="openai/rules@http://127.0.0.1:8000/v1")
    assert lm == LM(model="openai/rules", api_base="http://127.0.0.1:8000/v1")
    assert lm.name == "openai/rules@http://127.0.0.1:8000/v1"
    assert LM.model_validate(lm.body()) == lm


def test_the_environment_moves_an_address_only_before_the_freeze(monkeypatch):
    """A variable that LiteLLM would read at every call is read once and recorded; a spec's own address wins."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://10.0.0.7/v1")
    assert settled(LM(model="openai/x")).api_base == "http://10.0.0.7/v1"
    assert settled(LM(model="openai/x", api_base="http://10.0.0.8/v1")).api_base == "http://10.0.0.8/v1"


@pytest.mark.parametrize(
    "base", ["http://user:pw@host/v1", "https://host/v1?key=abc", "ftp://host", "http://", "http://host:x/", "host/v1"]
)
def test_an_address_is_plain(base, monkeypatch):
    """Credentials, queries and other schemes are refused in a spec and in a variable, and not shown."""
    with pytest.raises(ValidationError, match="without credentials or query"):
        LM(model="openai/x", api_base=base)
    monkeypatch.setenv("OPENAI_BASE_URL", base)
    with pytest.raises(Refusal, match="OPENAI_BASE_URL must hold a plain") as caught:
        settled(LM(model="openai/x"))
    assert "pw" not in str(caught.value)


@pytest.mark.parametrize("model", ["offline/oracle", "nobody/knows-this", "openai@http:/x", ""])
def test_an_unknown_model_is_refused_by_name(model, capfd):
    """One line, and nothing of what LiteLLM prints by itself."""
    with pytest.raises(Refusal, match="expected offline/rules") as caught:
        refuse_unknown(LM(model=model))
    assert repr(model) in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_evidence_is_of_class_model_only_without_an_offline_model():
    """One fixture among two makes a fixture."""
    live, offline = LM(model="openai/x"), LM(model="offline/reflector")
    assert [evidence_class(live, live), evidence_class(live, offline), evidence_class(offline, live)] == [
        "model",
        "fixture",
        "fixture",
    ]


def test_models_of_the_command_line_replace_the_specs(tmp_path):
    """The model and its address change; temperature, limits and everything else stay."""
    spec = tmp_path / "spec.toml"
    spec.write_text(PILOT.replace('model = "offline/rules"', 'model = "openai/a"\napi_base = "http://old/v1"'))
    read = read_spec(spec, {"lm": "openai/b@http://new:1/v1"})
    plain = read_spec(spec)
    assert (plain.lm.model, plain.lm.api_base) == ("openai/a", "http://old/v1")
    assert (read.lm.model, read.lm.api_base, read.lm.max_tokens) == ("openai/b", "http://new:1/v1", 2048)
    assert read.reflection_lm == plain.reflection_lm
    assert read_spec(spec, {"lm": "ollama_chat/x"}).lm.api_base == "http://localhost:11434"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("temperature = 0.0", f'api_key = "{MARKED}"\ntemperature = 0.0'),
        ("seed = 0", f'seed = 0\nopenai_token = "{MARKED}"'),
        ("[lm]", f'[lm]\napi_base = "https://{MARKED}@host/v1"'),
        ('model = "offline/rules"', f'model = "openai/x@http://u:{MARKED}@host/v1"'),
        ("[lm]", f'[lm]\ncolour = "{MARKED}"'),
    ],
)
def test_a_key_in_a_spec_is_refused_and_not_shown(tmp_path, before, after):
    """An unknown key like any other, without its value."""
    spec = tmp_path / "spec.toml"
    spec.write_text(PILOT.replace(before, after, 1))
    with pytest.raises(Refusal) as caught:
        read_spec(spec)
    assert "0123456789" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_an_offline_run_never_loads_litellm():
    """It takes seconds and memory, and an offline run has no use for it."""
    program = (
        "import sys; from tasks.lm.providers import provider_of; from tasks.records.spec import LM;"
        " provider_of(LM(model='offline/rules'), 0); print({'litellm', 'openai', 'httpx'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
    assert type(provider_of(LM(model="openai/x"), 0)).__name__ == "LiteLLMProvider"


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("7", 7.0), ("0.5", 0.5), ("-3", 0.0), ("inf", None), ("nan", None), ("soon", None), ("", None)],
)
def test_retry_after_is_seconds_or_nothing(written, seconds):
    """Nonsense is no wish."""
    assert after_seconds({"retry-after": written}) == seconds


def test_retry_after_may_be_a_date():
    """A date of the past asks for no wait (RFC 9110, 10.2.3)."""
    assert after_seconds({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0.0


def test_keys_of_the_environment_and_what_looks_like_one_are_scrubbed(monkeypatch):
    """By value, whatever the value looks like, and by shape."""
    monkeypatch.setenv("SOME_API_KEY", "plain-words-as-a-key")
    text = "a plain-words-as-a-key b Bearer abcdefgh c sk-proj-xxxx****yyyy d https://me:pw@host/ e"
    assert scrubbed(text) == "a [hidden] b [hidden] c [hidden] d https://[hidden]@host/ e"
