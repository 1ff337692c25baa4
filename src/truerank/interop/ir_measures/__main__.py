"""`python -m truerank.interop.ir_measures`: the `ir_measures` command, with this provider before its own."""

from truerank.interop.ir_measures import main

main()
