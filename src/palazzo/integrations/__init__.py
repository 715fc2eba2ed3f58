"""Palaces behind the interfaces of agent frameworks: one module for each, which imports that framework and no other."""
