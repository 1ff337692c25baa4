"""Results as text: small tables, the sentences beside them, and one file for each renderer."""
