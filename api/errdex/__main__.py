"""`python -m errdex`."""

from errdex.cli import main

if __name__ == "__main__":
    main()
