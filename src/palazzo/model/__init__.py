"""Frozen values and pure functions over them. Nothing here does I/O, reads a clock or knows how anything is stored.

Times are UTC microseconds as integers (names end in `_us`); the library's face turns them into aware datetimes.
"""
