"""Reading a property runs it; so does setting one."""

import functools


class Tower:
    def __init__(self):
        self._device = "cpu"

    @property
    def device(self):
        return self.place()

    @device.setter
    def device(self, value):
        self.moved()

    @functools.cached_property
    def config(self):
        return Config()

    def place(self):
        return self._device

    def moved(self):
        pass


class Config:
    def get(self):
        pass


tower = Tower()
print(tower.device)
tower.device = "cuda"
tower.config.get()
