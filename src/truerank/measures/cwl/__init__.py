"""C/W/L: measures of a reader, by the chance of going on after each document.

`walks` is what follows from that chance, `continuations` are the chances, `readers` go on by them; the measures are
in `users`, and what else can be asked of each reader in `expectations`.
"""
