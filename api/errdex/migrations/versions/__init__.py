"""One file a revision; each names the one before it."""
