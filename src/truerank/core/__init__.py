"""The engine: a run is read once into its hits, and every measure is a few lines over that table."""
