"""`super()` goes on by the class of the object, not by the class of the method."""


class Base:
    def setup(self):
        pass


class Left(Base):
    def setup(self):
        super().setup()


class Right(Base):
    def setup(self):
        super().setup()


class Both(Left, Right):
    def setup(self):
        super(Both, self).setup()


Both().setup()
