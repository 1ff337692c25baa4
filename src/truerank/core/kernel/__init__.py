"""The compiled code: what goes through every row of a run or of judgements."""
