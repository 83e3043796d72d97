"""The process that a host of agents talks to: its methods, its workspaces, who may see what, and what it is offered."""
