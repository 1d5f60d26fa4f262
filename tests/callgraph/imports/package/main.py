"""Absolute, relative, aliased and re-exported names."""

import nets.tower
import nets.tower as towers
from nets import build, Projector as Head
from nets.sub import leaf

nets.tower.encode()
towers.encode()
build()
Head().forward()
leaf.grow()
