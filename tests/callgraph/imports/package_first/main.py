"""Of a module and a package with one name, Python imports the package."""

from data import load

load()
