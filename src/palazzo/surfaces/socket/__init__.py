"""The Unix socket."""
