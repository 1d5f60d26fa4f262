"""Two projects in one tree hold a package of the same name: each imports its own."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "two"))

import second

second.main()
