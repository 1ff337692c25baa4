"""Other tools' surfaces: trec_eval's arguments and output, pytest."""
