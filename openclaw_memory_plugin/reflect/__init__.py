"""What becomes of facts: pages, beliefs and core memory; archive, forgetting and upkeep; every change undoable."""
