"""Facts to pages, beliefs and core memory, and the upkeep of all of them; what is derived goes back as Markdown."""
