"""Continuity of work: threads and sessions, handoffs, the compaction bridge, identity files, receipts."""
