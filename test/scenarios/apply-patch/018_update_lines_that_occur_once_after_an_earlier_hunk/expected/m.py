def a():
    x = 0
    return x

def b():
    x = 2
    return x
