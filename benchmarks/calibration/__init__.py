"""Populations with known means, and what is asked of intervals and tests over them: a file a subject."""
