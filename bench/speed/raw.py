"""The least that an ASGI server can be asked: three fixed bytes. It shows how fast the client itself can ask.

`python bench/speed/raw.py --port 8001`
"""

import argparse
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import uvicorn

Message = MutableMapping[str, Any]


async def app(scope: Message, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]) -> None:
    """Read the body, answer `ok`."""
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    options = {"loop": "uvloop", "http": "httptools", "lifespan": "off", "access_log": False, "log_level": "warning"}
    uvicorn.run(app, port=parser.parse_args().port, **options)  # type: ignore[arg-type]  # a table of options has no types
