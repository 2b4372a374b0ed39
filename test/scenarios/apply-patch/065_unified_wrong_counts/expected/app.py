import sys

def main():
    name = "x"
    print("hello", name)

main()
