"""Memory for OpenClaw agents: Markdown stays the truth, recall is cited, reflection is reversible."""
