"""`globals()` and `vars` are not followed; a string set picks among methods."""


class Worker:
    MODES = ["fast", "slow"]

    def fast(self):
        pass

    def slow(self):
        pass

    def idle(self):
        pass

    def run(self):
        for mode in self.MODES:
            getattr(self, mode)()


Worker().run()
