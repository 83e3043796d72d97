"""Everything this package raises on purpose: one base, a few leaves. A message says what, where and what to do."""


class OpenClawMemoryError(Exception):
    """Base of all errors meant for a caller or a person; the command line prints it and exits 1."""


class UsageError(OpenClawMemoryError):
    """A caller asked for something that cannot be: a bad value, an unknown name; the command line exits 2."""


class Declined(OpenClawMemoryError):
    """A person was asked and said no; nothing was done."""


class ConfigError(UsageError):
    """The configuration cannot be used; the message names file, key and remedy."""


class WorkspaceError(OpenClawMemoryError):
    """Something in the workspace cannot be read or written."""


class MissingWorkspaceError(WorkspaceError, UsageError):
    """There is no folder where the workspace is said to be."""


class ConflictError(OpenClawMemoryError):
    """A file was edited while we worked on it; theirs stands and nothing was changed."""


class IndexUnavailableError(OpenClawMemoryError):
    """The index cannot be opened or stayed locked; Markdown is untouched."""


class RetainError(OpenClawMemoryError):
    """A fact was not written: vetoed, forgotten before, or the file could not be written."""


class PluginError(OpenClawMemoryError):
    """A plugin failed or answered something its hook does not allow; the message names it."""
