"""`getattr` and `setattr` with constants, also when they come through a parameter or a loop."""


class Hooks:
    def before_train(self):
        pass

    def after_train(self):
        pass

    def other(self):
        pass


def call(hook, name):
    getattr(hook, name)()


call(Hooks(), "before_train")
for name in ("after_train",):
    call(Hooks(), name)


class Box:
    pass


def fill():
    pass


box = Box()
setattr(box, "fill", fill)
box.fill()
getattr(box, "missing", fill)()
