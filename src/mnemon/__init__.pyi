"""What `import mnemon` promises, for editors and type checkers."""

from mnemon.surfaces.library import AsyncMemory as AsyncMemory
from mnemon.surfaces.library import Memory as Memory

__version__: str
__all__ = ["AsyncMemory", "Memory", "__version__"]
