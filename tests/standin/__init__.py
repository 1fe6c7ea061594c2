"""A remote place of execution on this machine, for tests: its runs outlive workers, and its answers can be lost."""
