def attend():
    pass
