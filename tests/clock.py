"""A clock that tests move by hand."""

NOON = 1_800_014_400.0  # a whole minute, hour and twelve hours


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = NOON

    def time(self) -> float:
        return self.now

    monotonic = time
