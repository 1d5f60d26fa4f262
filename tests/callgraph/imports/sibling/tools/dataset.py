class Data:
    def load(self):
        pass
