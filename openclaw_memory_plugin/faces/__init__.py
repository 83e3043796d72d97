"""How others reach a memory: the command line, the process behind OpenClaw's bridge, the installation. No decisions."""
