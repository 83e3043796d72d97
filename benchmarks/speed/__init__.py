"""Speed as ratios to raw SQLite, the file system and bare Python, on generated workspaces."""
