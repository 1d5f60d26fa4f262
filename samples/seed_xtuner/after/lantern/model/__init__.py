from .lantern import Lantern
from .parts import Eye, Reader, Words

__all__ = ["Eye", "Lantern", "Reader", "Words"]
