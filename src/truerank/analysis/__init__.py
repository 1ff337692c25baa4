"""Conclusions from scores and hits: comparisons, bounds, explanations, gates, curves, checks of the input."""
