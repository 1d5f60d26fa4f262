from ..heads import make
from .. import tower


def grow():
    make()
    tower.encode()
