"""The derived indexes over a table port, shared by every engine."""
