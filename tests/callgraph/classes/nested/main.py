"""Classes inside classes and functions."""


class Outer:
    class Inner:
        def run(self):
            pass

    def make(self):
        return self.Inner()


def local():
    class Local:
        def run(self):
            pass

    return Local()


Outer().make().run()
Outer.Inner().run()
local().run()
