"""Hypothesis without surprises: no clock, no examples kept between runs, nothing written into the checkout."""

import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis.configuration import set_hypothesis_home_dir

set_hypothesis_home_dir(Path(tempfile.gettempdir()) / "proveout-hypothesis")
settings.register_profile("properties", max_examples=50, deadline=None, database=None, derandomize=True)
settings.load_profile("properties")
