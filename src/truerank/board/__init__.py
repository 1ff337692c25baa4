"""The leaderboard: submit a file, be scored, see where you stand. One process, one database, one directory.

    board.toml ─▶ settings ─▶ contests (rules, truth, split)           what is asked
    a file ─▶ upload ─▶ storage ─▶ audit ─▶ submissions ─▶ scoring      its way; audit never sees the truth
    database (models, migrations) ─▶ standings ─▶ api · views           what is seen

`service` holds the parts together, `app` puts them on the web. Nothing here is imported by the engine.
"""
