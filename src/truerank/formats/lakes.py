"""Tables of Delta Lake and Iceberg, whose logs say which files count now."""

from __future__ import annotations

import os

from truerank.core.errors import InputError, first_line, needs
from truerank.core.messages import message
from truerank.formats.source import METADATA, local

UNREADABLE = ("columnMapping", "deletionVectors")
"""Features of Delta tables whose files do not hold the rows as they are."""


def files(name: str) -> list[str] | None:
    """The current files of a table, by its log; None where this is no table.

    Args:
        name: a table's folder, or a metadata file of Iceberg.

    Raises:
        InputError: they do not hold the rows unchanged, or it is not known which of several states is current.
    """
    if name.endswith(METADATA):
        return _iceberg(name)
    if os.path.isdir(os.path.join(name, "_delta_log")):
        return _delta(name)
    import glob  # with their dependencies, which a single file does not need

    folder = os.path.join(name, "metadata")
    if not glob.glob(os.path.join(glob.escape(folder), "*" + METADATA)):
        return None
    try:  # a table in a catalog has none: its newest metadata may be of a change that failed
        with open(os.path.join(folder, "version-hint.text"), encoding="ascii") as hint:
            version = hint.read().strip()
    except FileNotFoundError:
        mend = message("give its metadata file, which the catalog knows: table.metadata_location")
        raise InputError("this is an Iceberg table: {mend}", name, mend=mend) from None
    return _iceberg(os.path.join(folder, f"v{version}{METADATA}"))


def _iceberg(metadata: str) -> list[str]:
    """The files of the current snapshot in a metadata file."""
    with needs(message("reading the Iceberg table {source}", source=metadata), "iceberg"):
        from pyiceberg.exceptions import ValidationError
        from pyiceberg.table import StaticTable
    try:
        table = StaticTable.from_metadata(metadata)
        tasks = list(table.scan().plan_files())
    except (OSError, ValueError, ValidationError) as error:
        raise InputError(
            "the metadata of this Iceberg table cannot be read: {error}", metadata, error=first_line(error)
        ) from None
    columns = {(field.field_id, field.name) for schema in table.schemas().values() for field in schema.fields}
    what = None
    if any(task.delete_files for task in tasks):
        what = message("rows were deleted")
    elif any(len(set(each)) < len(columns) for each in zip(*columns, strict=True)):
        what = message("columns were renamed or replaced")
    if what is not None:
        raise InputError(
            "the files of this Iceberg table do not hold its rows as they are ({what}): give its rows, {how}",
            metadata,
            what=what,
            how="StaticTable.from_metadata(path).scan().to_arrow_batch_reader()",
        )
    return [local(task.file.file_path) for task in tasks]


def _delta(folder: str) -> list[str]:
    """The files of the newest version of a Delta table."""
    with needs(message("reading the Delta table {source}", source=folder), "delta"):
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaError
    try:
        table = DeltaTable(folder)
    except DeltaError as error:
        raise InputError(
            "the log of this Delta table cannot be read: {error}", folder, error=first_line(error)
        ) from None
    features, settings = table.protocol().reader_features or (), table.metadata().configuration
    used = {feature for feature in UNREADABLE if feature in features}
    if used or settings.get("delta.columnMapping.mode", "none") != "none":
        raise InputError(
            "the files of this Delta table do not hold its rows as they are ({what}): read it first, with {how}",
            folder,
            what=", ".join(sorted(used)) or UNREADABLE[0],
            how="DeltaTable(path).to_pyarrow_table(), duckdb",
        )
    uris: list[str] = table.file_uris()
    return [local(uri) for uri in uris]
