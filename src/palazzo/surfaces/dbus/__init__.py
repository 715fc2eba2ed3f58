"""The palace on the session bus, for desktop programs: `ai.palazzo.Memory1`, made from the registry."""
