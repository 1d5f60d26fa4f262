"""Assigning to a class or a module replaces the method; the patched one is `self.`"""

import attention


class Attention:
    def forward(self):
        pass

    def helper(self):
        pass


def flash(self):
    self.helper()


Attention.forward = flash
Attention().forward()


def softmax():
    pass


attention.score = softmax
attention.run()
