"""LiteLLM: loaded once, here, where it is first needed, with everything off that is not one request and its answer."""

import logging
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from tasks.lm.exchange import Watched


@cache
def litellm() -> Any:
    """The module. It takes seconds and 200 MB to load, so that offline runs never do."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else it fetches a price list from GitHub
    with unwarned():
        import litellm as library
    library.telemetry = False
    library.cache = None
    library.suppress_debug_info = True
    library.turn_off_message_logging = True
    library.drop_params = False  # a temperature that a model does not take is told, not dropped
    for hooks in ("callbacks", "input_callback", "success_callback", "failure_callback"):
        setattr(library, hooks, [])
    for name in ("LiteLLM", "LiteLLM Proxy", "LiteLLM Router"):
        logging.getLogger(name).handlers.clear()
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    watched = Watched()
    library.sync_transport = watched  # for providers that LiteLLM speaks to itself
    library.client_session = watched.client()  # for those that it hands to OpenAI's client
    return library


@contextmanager
def unwarned() -> Iterator[None]:
    """Warnings are not shown: LiteLLM loads its parts late, and each complains about something in another library."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
