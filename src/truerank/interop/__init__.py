"""Other tools' surfaces: trec_eval's arguments and output, pytrec_eval, ir_measures, Spark."""
