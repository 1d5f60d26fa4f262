from parts import part


@part
class Tower:
    def encode(self):
        pass


@part
class Other:
    def encode(self):
        pass
