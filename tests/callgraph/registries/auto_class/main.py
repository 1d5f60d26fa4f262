"""`AutoX.register(Config, Model)`, and a factory that looks the model up by its configuration's class."""


class Auto:
    _models = {}

    @classmethod
    def register(cls, config, model):
        cls._models[config] = model

    @classmethod
    def from_config(cls, config):
        return cls._models[type(config)](config)


class Config:
    pass


class Model:
    def __init__(self, config):
        self.config = config

    def forward(self):
        pass


Auto.register(Config, Model)
Auto.from_config(Config()).forward()
