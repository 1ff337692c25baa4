"""`python -m truerank`: the command line."""

from truerank.cli import main

main()
