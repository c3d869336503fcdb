"""Separate: tests in one sandbox, the candidate's code in another, a bounded typed wire between them.

What compares, measures time and writes records is trusted; what the candidate's process may say is values, numbers of
objects that stay there, and exceptions by type and message. The files that run inside the sandboxes (`codec`, `frames`,
`material`, `answering`, and for the tests `link`, `handles`, `oracle`) import the standard library and each other only.
"""
