"""A mixin calls what the class that it is mixed into defines."""

from abc import ABC, abstractmethod


class Meta(ABC):
    @abstractmethod
    def get_model(self):
        pass

    def encode(self):
        return self.get_model().tower()


class Inner:
    def tower(self):
        pass


class Base:
    def get_model(self):
        raise NotImplementedError


class Llava(Meta, Base):
    def __init__(self):
        self.inner = Inner()

    def get_model(self):
        return self.inner


Llava().encode()
