"""Reads a request's body: bounded, as JSON or as plain text, whatever the client called it."""

import json

from fastapi import Request

from errdex.errors import EmptyInputError, MalformedError, NotTextError, TooLargeError, UnsupportedMediaTypeError
from errdex.models import LookupRequest

_JSON = "application/json"
_LENGTH_DIGITS = 18  # of an announced length; Python refuses to read numbers of thousands of digits
# `curl --data-binary` says it sends a form; what it sends is the file.
_PLAIN = ("text/plain", "text/markdown", "application/octet-stream", "application/x-www-form-urlencoded", "")


async def read_body(request: Request, limit: int) -> bytes:
    """The body, never more of it than allowed.

    Raises:
        UnsupportedMediaTypeError: it is compressed.
        TooLargeError: it is larger than `limit` bytes, by its header or by what came.
    """
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise UnsupportedMediaTypeError("Send the body uncompressed.", field="Content-Encoding")
    too_large = TooLargeError(
        f"The limit is {limit} bytes. Send the end of the log, from the first traceback on: `tail -c {limit} train.log`.",
    )
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and (len(announced) > _LENGTH_DIGITS or int(announced) > limit):
        raise too_large
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            raise too_large
    return bytes(body)


def media_type(request: Request) -> str:
    """The content type without parameters, in lower case."""
    return request.headers.get("content-type", "").split(";")[0].strip().lower()


def parse_json(body: bytes) -> object:
    """The body as JSON.

    Raises:
        MalformedError: it is none, or it is nested too deep to read.
    """
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        where = f" at byte {error.pos}" if isinstance(error, json.JSONDecodeError) else ""
        raise MalformedError(f"The body is not JSON{where}. Send plain text with `Content-Type: text/plain`.") from None


def lookup_request(body: bytes, content_type: str) -> LookupRequest:
    """A lookup's request from either form.

    Raises:
        EmptyInputError: there is nothing in it.
        MalformedError: it says JSON and is none.
        NotTextError: it is binary.
        UnsupportedMediaTypeError: a form, an archive or the like.
    """
    if not body.strip():
        raise EmptyInputError("Send a traceback, a log, an error message or a question.", field="traceback")
    if content_type == _JSON or content_type.endswith("+json"):
        return LookupRequest.model_validate(parse_json(body))
    if content_type not in _PLAIN and not content_type.startswith("text/"):
        raise UnsupportedMediaTypeError("Send `application/json` or `text/plain`.", field="Content-Type")
    if content_type == _PLAIN[3] and body.lstrip().startswith(b'{"traceback"'):
        return LookupRequest.model_validate(parse_json(body))
    return LookupRequest(traceback=decode(body))


def decode(body: bytes) -> str:
    """Text of any usual encoding; a log with a few broken bytes stays readable.

    Raises:
        NotTextError: it is binary.
    """
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return body.decode("utf-16", errors="replace")
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        if b"\x00" in body[:4096]:
            raise NotTextError("This looks like a binary file; send the log as UTF-8 text.") from None
        return body.decode("utf-8", errors="replace")
