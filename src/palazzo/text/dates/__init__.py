"""The grammar of dates, times, periods and repetition, from a reference the caller gives. `find` is the way in."""
