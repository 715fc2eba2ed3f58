"""One file per outside thing, each behind a port; importing any of them loads nothing heavy."""
