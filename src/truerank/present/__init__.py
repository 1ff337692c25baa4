"""Results as text: a small table, the sentences beside it, and a renderer a file."""
