"""The lazy modules of transformers: a table of submodules and names."""

from towers import Tower, build

build()
Tower().encode()
