"""Reads a request's body as JSON or as plain text, whatever the client called it; the gate has bounded its size."""

import json
import re

from fastapi import Request
from pydantic_core import from_json

from errdex.errors import EmptyInputError, MalformedError, NotTextError, UnsupportedMediaTypeError
from errdex.models import LookupRequest

_JSON = "application/json"
_MAX_VALUES = 10_000  # a batch of 100 has at most 5,500
_MAX_KEYS = 16
_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_PLACE = re.compile(r"line \d{1,9} column \d{1,9}", re.ASCII)
# `curl --data-binary` says it sends a form; what it sends is the file.
_PLAIN = ("text/plain", "text/markdown", "application/octet-stream", "application/x-www-form-urlencoded", "")


def media_type(request: Request) -> str:
    """The content type without parameters, in lower case."""
    return request.headers.get("content-type", "").split(";")[0].strip().lower()


def parse_json(body: bytes) -> object:
    """The body as JSON.

    Raises:
        MalformedError: it is none, nested deeper than 200 levels, or made of far more values than any request has.
    """
    if body.startswith(_MARKS):
        body = decode(body).encode("utf-8", errors="replace")
    if _is_crowded(body):
        raise MalformedError(f"The body has more than {_MAX_VALUES} values. Send the log as one text.")
    try:
        parsed = from_json(body)
    except ValueError as error:
        parsed = _lenient(body, str(error))
    if _has_many_keys(parsed):
        raise MalformedError("The body has far more keys than a request. See /docs for those that there are.")
    return parsed


def _is_crowded(body: bytes) -> bool:
    """Whether it would take long to build the values; text in strings does not count."""
    if sum(body.count(mark) for mark in (b",", b"[", b"{")) <= _MAX_VALUES:
        return False
    plain = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    if plain.count(b'"') > 4 * _MAX_VALUES:
        return True
    outside = b"".join(plain.split(b'"')[::2])
    return sum(outside.count(mark) for mark in (b",", b"[", b"{")) > _MAX_VALUES


def _lenient(body: bytes, complaint: str) -> object:
    """What the strict parser refuses for half a character alone, as a log cut by its bytes has it, is read all the same."""
    try:
        if "hex escape" in complaint:
            return json.loads(body)
    except (ValueError, RecursionError):
        pass
    where = _PLACE.search(complaint)
    place = f" at {where[0]}" if where else ""
    raise MalformedError(f"The body is not JSON{place}. Send plain text with `Content-Type: text/plain`.") from None


def _has_many_keys(parsed: object) -> bool:
    """Whether a request, or one in a list of them, has so many keys that listing what is wrong with each takes long."""
    if not isinstance(parsed, dict):
        return False
    inner = [item for value in parsed.values() if isinstance(value, list) for item in value]
    return any(isinstance(one, dict) and len(one) > _MAX_KEYS for one in (parsed, *inner))


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
