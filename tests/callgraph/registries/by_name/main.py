"""The registered name is the class's own, the mapping is a module's global, filled on import."""

from parts import build
import towers

build("Tower").encode()
build("Other").encode()
