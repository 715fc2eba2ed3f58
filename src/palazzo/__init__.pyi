"""What `import palazzo` promises, for editors and type checkers."""

from palazzo.surfaces.library import AsyncMemory as AsyncMemory
from palazzo.surfaces.library import Memory as Memory

__version__: str
__all__ = ["AsyncMemory", "Memory", "__version__"]
