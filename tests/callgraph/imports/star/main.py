"""A star brings what `__all__` names, else the public names."""

from chosen import *
from public import *

taken()
hidden()
shown()
