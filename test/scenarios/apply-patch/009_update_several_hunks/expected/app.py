import sys, os

def main():
    name = sys.argv[1]
    print("hello", name)

sys.exit(main())
