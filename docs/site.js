/* To the search a hyphen before a word says that it must not be there, and two are no query: options lose theirs. */
addEventListener(
  "input",
  ({ target }) => {
    if (!target.matches?.(".md-search__input")) return;
    const plain = target.value.replace(/(^|\s)-+(?=\w)/g, "$1");
    if (plain !== target.value) target.value = plain;
  },
  true,
);
