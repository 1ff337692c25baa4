"""The compiled code: what goes through every row of a run or of judgements.

scanning.pyx   the judged documents of a run, by whichever form it comes in: text, columns, dicts, rankings
  lines.pxi      lines of text, as they are pushed, cut by bytes.h
  judged.pxi     the judgements, and the table of those of the query that is read
  ranking.pxd    from positions and scores to ranks under the tie rule
  hits.pxi       the rows that are found, and these as columns
  aside.pxi      rows of scattered queries, put aside on disk
  thresholds.pxi how many rows stand before documents that another part has
  qrels.pxi      judgements out of lines
names.pyx      ids in order as one text (ids.pxd), judgements out of dicts, and what looks at whole lists
rows.pyx       the rows of one query, for what looks at each, such as lint (spelling.pxd)
pages.pyx      pages of Parquet
drawing.pyx    resamples of rows
counting.pyx   blocks of scores: ranks without sorting; running sums and others over rows
"""
