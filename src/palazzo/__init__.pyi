"""What `import palazzo` promises, for editors and type checkers."""

from palazzo.errors import Conflict as Conflict
from palazzo.errors import InvalidInput as InvalidInput
from palazzo.errors import NotFound as NotFound
from palazzo.errors import NotPermitted as NotPermitted
from palazzo.errors import PalaceBusy as PalaceBusy
from palazzo.errors import PalaceMissing as PalaceMissing
from palazzo.errors import PalazzoError as PalazzoError
from palazzo.errors import PartUnavailable as PartUnavailable
from palazzo.errors import RateLimited as RateLimited
from palazzo.errors import Refused as Refused
from palazzo.errors import StorageError as StorageError
from palazzo.errors import WrongKey as WrongKey
from palazzo.operations.intake.spec import Kept as Kept
from palazzo.operations.recall.spec import ContextBlock as ContextBlock
from palazzo.operations.recall.spec import History as History
from palazzo.operations.recall.spec import MemoryPage as MemoryPage
from palazzo.operations.recall.spec import Recalled as Recalled
from palazzo.operations.recall.spec import RecalledMemory as RecalledMemory
from palazzo.operations.shared import StoredMemory as StoredMemory
from palazzo.surfaces.library import AsyncMemory as AsyncMemory
from palazzo.surfaces.library import Memory as Memory
from palazzo.surfaces.library import copy_palace as copy_palace

__version__: str
