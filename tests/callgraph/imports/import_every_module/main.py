"""A package that loads every module that lies in it, as its classes register themselves."""

import parts

part = parts.make("first")()
part.load()
