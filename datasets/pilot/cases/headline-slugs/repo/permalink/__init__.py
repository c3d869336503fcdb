"""Stable addresses for articles."""

from permalink.site import Site
from permalink.slug import slugify

__all__ = ["Site", "slugify"]
