"""A script's folder is on the path: what it imports by a short name lies beside it."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "tools"))

import train

train.main()
