"""The database's history: Alembic runs what is missing when the service starts."""
