import sys

def main():
    name = sys.argv[1]
    print("hello", name)

main()
