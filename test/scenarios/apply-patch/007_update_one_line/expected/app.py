import sys

def main():
    name = sys.argv[1] or "you"
    print("hello", name)

main()
