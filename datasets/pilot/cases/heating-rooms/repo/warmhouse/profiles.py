"""Profiles as they come with the package."""

import json
from pathlib import Path


def load_profiles():
    """All profiles by name."""
    return json.loads((Path(__file__).parent / "profiles.json").read_text(encoding="utf-8"))
