"""Pure functions over text: no I/O, no clock, no environment.

Each module answers one question about a string (where its sentences end, which dates it names, whether it
carries a secret, ...) and returns frozen values. Nothing here knows what a palace is.
"""
