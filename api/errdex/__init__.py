"""errdex answers a pasted traceback or training log with the right, verified fix."""

__version__ = "0.1.0"
