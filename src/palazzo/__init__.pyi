"""What `import palazzo` promises, for editors and type checkers."""

from palazzo.surfaces.library import AsyncMemory as AsyncMemory
from palazzo.surfaces.library import Memory as Memory
from palazzo.surfaces.library import copy_palace as copy_palace

__version__: str
__all__ = ["AsyncMemory", "Memory", "__version__", "copy_palace"]
