"""Encrypting the file and sealing fields in it."""
