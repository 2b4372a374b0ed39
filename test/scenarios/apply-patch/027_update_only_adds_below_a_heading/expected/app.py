import sys

def main():
    """Greets."""
    name = sys.argv[1]
    print("hello", name)

main()
