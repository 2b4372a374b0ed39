import sys

def main():
    name = sys.argv[1]
    print("hello", name)

if __name__ == "__main__":
    main()
