class Tower:
    def encode(self):
        pass
