"""The command line: thin faces over the same code as the server."""
