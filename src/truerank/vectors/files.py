"""Files: what `evaluate_vectors` and `evaluate_matrix` want, read from the files that people have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from truerank.core.errors import InputError
from truerank.formats.arrays import Entries, read_lists, read_sides
from truerank.formats.names import CAMERAS, ENTRIES, LABELS


@dataclass(frozen=True, kw_only=True)
class Files:
    """The paths of the files that vectors, or a ready matrix, and what is known of them are read from.

    Attributes:
        queries: the vectors of the queries, or of both sides, or a ready matrix.
        gallery: the vectors of the gallery, if they are elsewhere.
        labels, cameras, ids: of the queries, then of the gallery; one file may name both.
    """

    queries: str
    gallery: str | None = None
    labels: tuple[str, ...] = ()
    cameras: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()

    def vectors(self) -> dict[str, Any]:
        """The arguments of `evaluate_vectors`."""
        first = read_sides(self.queries)
        second = read_sides(self.gallery) if self.gallery else first
        queries, gallery = first.get("query", first.get("")), second.get("gallery")
        if self.gallery and gallery is None:
            gallery = second.get("")
        tables = {"query_vectors": _vectors(queries, self.queries, "query")}
        if gallery is not None:
            tables["gallery_vectors"] = _vectors(gallery, self.gallery or self.queries, "gallery")
        return {**tables, **self._columns(queries, gallery)}

    def matrix(self) -> dict[str, Any]:
        """The arguments of `evaluate_matrix`."""
        if self.gallery:
            raise InputError("a matrix holds the gallery's columns itself; name no second file", self.gallery)
        sides = read_sides(self.queries)
        table = _vectors(sides.get("", sides.get("query")), self.queries, "matrix")
        return {"matrix": table, **self._columns(sides.get("query"), sides.get("gallery"))}

    def _columns(self, queries: Entries | None, gallery: Entries | None) -> dict[str, Any]:
        """Labels, cameras and ids of both sides, from files of their own where there are such."""
        sides = {"query": queries or Entries(), "gallery": gallery or Entries()}
        columns = {
            f"{side}_{kind}": getattr(entries, kind)
            for kind in ("labels", "cameras")
            for side, entries in sides.items()
        }
        for kind, files, names in (
            ("labels", self.labels, LABELS),
            ("cameras", self.cameras, CAMERAS),
            ("ids", self.ids, ENTRIES),
        ):
            columns |= {f"{side}_{kind}": values for side, values in _listed(files, names).items()}
        return {name: values for name, values in columns.items() if values is not None}


def _vectors(entries: Entries | None, path: str, what: str) -> Any:
    if entries is None or entries.vectors is None:
        raise InputError("it is not clear which array holds the {side}; call it {side}_features", path, side=what)
    return entries.vectors


def _listed(files: tuple[str, ...], kind: tuple[str, ...]) -> dict[str, Any]:
    """{side: values} from a file of each side, or from one of the queries, or of both."""
    if len(files) > 2:
        raise InputError(
            "{name} come from a file of the queries and one of the gallery; these are {n}",
            name=kind[0],
            n=len(files),
        )
    lists = [read_lists(path, kind) for path in files]
    if len(lists) == 1:
        return {side or "query": values for side, values in lists[0].items()}
    return {side: one.get(side, one.get("")) for side, one in zip(("query", "gallery"), lists, strict=False)}
