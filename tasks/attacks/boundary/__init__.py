"""Attacks on the tool boundary: paths, planted files, arguments, each with a secret that lies outside of the root."""
