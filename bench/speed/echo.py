"""What HTTP, JSON and validation alone cost: FastAPI that answers the body it was sent.

`python bench/speed/echo.py --port 8001`
"""

import argparse
from typing import Annotated

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel, Field

app = FastAPI()


class Text(BaseModel):
    """The body of a lookup."""

    traceback: str
    lang: str | None = None
    limit: Annotated[int, Field(ge=1, le=10)] = 3
    environment: dict[str, str] | None = None


@app.get("/readyz")
async def ready() -> dict[str, str]:
    """Whether it serves."""
    return {"status": "ready"}


@app.post("/echo")
async def echo(text: Text) -> Text:
    """The same again."""
    return text


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    uvicorn.run(app, port=parser.parse_args().port, loop="uvloop", http="httptools", access_log=False, log_level="warning")
