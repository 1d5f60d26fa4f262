class First:
    def go(self):
        pass


class Second:
    def other(self):
        pass
