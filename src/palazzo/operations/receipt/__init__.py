"""Attachment receipts."""
