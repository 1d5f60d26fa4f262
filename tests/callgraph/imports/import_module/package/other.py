def help():
    pass
