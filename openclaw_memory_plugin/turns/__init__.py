"""What memory does around a turn of the agent: before it, after it, and what of it is worth keeping."""
