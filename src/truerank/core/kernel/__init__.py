"""The compiled code: loops over every row of a run or of judgements.

scanning.pyx   finds the judged documents of a run, which comes as text, columns, dicts or rankings
  lines.pxi      lines of text, as they are pushed, cut by bytes.h
  judged.pxi     the judgements, and a hash table of those of the current query
  ranking.pxd    from positions and scores to ranks under the tie rule
  hits.pxi       the rows that were found, also as columns
  aside.pxi      rows of scattered queries, put aside on disk
  thresholds.pxi how many rows stand before documents that were found in another part
  qrels.pxi      judgements from lines
names.pyx      ids in order as one text (ids.pxd), judgements from dicts, and whole lists
rows.pyx       the rows of one query, for code that looks at each, such as lint (spelling.pxd)
pages.pyx      pages of Parquet
drawing.pyx    resamples of rows
counting.pyx   ranks from blocks of scores without sorting; running sums, products and maxima over rows
"""
