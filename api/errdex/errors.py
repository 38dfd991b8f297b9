"""The one error tree. Every error knows its HTTP status and says what to do about it.

ErrdexError
├── InputError            the caller's input is wrong (4xx)
│   ├── EmptyInputError   422
│   ├── TooLargeError     413
│   ├── NotTextError      422
│   ├── MalformedError    400
│   ├── UnsupportedMediaTypeError 415
│   ├── UnknownLanguageError 422
│   ├── UnknownEntryError 404
│   ├── UnknownRowError   404
│   ├── BadRequestError   400
│   ├── RequestTimeoutError 408
│   ├── UnknownHostError  421
│   └── HeadersTooLargeError 431
├── AccessError           the caller may not do this, or not now
│   ├── UnknownKeyError   401
│   ├── ForbiddenError    403
│   └── RateLimitedError  429
├── KeysError             the file of API keys cannot be used (503)
├── SettingsError         an environment variable that no setting takes
├── CatalogError          knowledge that breaks its own rules, with every finding
├── IndexNotReadyError    no index, or one that does not fit this program (503)
├── IndexWriteError       the index cannot be written
├── EncoderError          the embedding model cannot be used (503)
├── StoreError            the store of unanswered errors and feedback does not answer (503)
├── BusyError             as many requests are at work as the server takes (503)
├── StoppingError         the server was told to stop (503)
├── InternalError         a fault of errdex (500)
└── SiteError             the static site cannot be built
"""

from collections.abc import Sequence


class ErrdexError(Exception):
    """Base of all errors that errdex raises on purpose.

    Attributes:
        status: HTTP status code.
        title: short sentence that is the same for every occurrence.
        detail: what is wrong this time and what to do; never contains the input.
        field: name of the input field at fault, if there is one.
        retry_after: after how many seconds it is worth asking again, if ever.
    """

    status = 500
    title = "errdex failed"
    retry_after: int | None = None

    def __init__(self, detail: str, field: str | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.field = field

    @classmethod
    def kind(cls) -> str:
        """Kebab-case name of this error, stable across releases (`unknown-entry`)."""
        name = cls.__name__.removesuffix("Error")
        return "".join(f"-{c.lower()}" if c.isupper() else c for c in name).lstrip("-")


class InputError(ErrdexError):
    """The caller's input is wrong."""

    status = 422
    title = "The input cannot be used"


class EmptyInputError(InputError):
    """There is no text to look up."""

    title = "There is no text to look up"


class TooLargeError(InputError):
    """The body is larger than the server takes."""

    status = 413
    title = "The input is too large"


class NotTextError(InputError):
    """The body is binary."""

    title = "The input is not text"


class MalformedError(InputError):
    """The body is not the JSON it says it is."""

    status = 400
    title = "The request body cannot be read"


class UnsupportedMediaTypeError(InputError):
    """The body has a content type that errdex does not read."""

    status = 415
    title = "This content type is not read"


class UnknownLanguageError(InputError):
    """The language asked for is not one of the three."""

    title = "This language is not available"


class UnknownEntryError(InputError):
    """No entry has this id."""

    status = 404
    title = "No entry has this id"


class SettingsError(ErrdexError):
    """A setting has a value that it does not take."""

    title = "A setting cannot be read"


class UnknownRowError(InputError):
    """No unanswered error has this number."""

    status = 404
    title = "No unanswered error has this number"


class AccessError(ErrdexError):
    """The caller may not do this, or not now."""

    status = 403
    title = "Access is refused"


class UnknownKeyError(AccessError):
    """An API key is missing, mistyped, unknown or expired."""

    status = 401
    title = "An API key is needed"


class ForbiddenError(AccessError):
    """The key's role is too low, or the server has no keys at all."""

    title = "This key may not do that"


class RateLimitedError(AccessError):
    """The caller has used up its rate."""

    status = 429
    title = "Too many requests"


class KeysError(ErrdexError):
    """The file of API keys cannot be read or written."""

    status = 503
    title = "The API keys cannot be used"
    retry_after = 5


class BadRequestError(InputError):
    """What came is no HTTP request, or an ambiguous one."""

    status = 400
    title = "The request cannot be read"


class RequestTimeoutError(InputError):
    """The request did not arrive in time."""

    status = 408
    title = "The request took too long to arrive"


class UnknownHostError(InputError):
    """The server does not answer to this host name."""

    status = 421
    title = "This server does not answer to this host name"


class HeadersTooLargeError(InputError):
    """The headers are larger than the server takes."""

    status = 431
    title = "The headers are too large"


class CatalogError(ErrdexError):
    """The knowledge breaks its own rules; `findings` holds one line each."""

    title = "The knowledge base has errors"

    def __init__(self, findings: Sequence[str]) -> None:
        super().__init__("\n".join(findings))
        self.findings = tuple(findings)


class IndexNotReadyError(ErrdexError):
    """There is no index, or it does not fit this program."""

    status = 503
    title = "The index is not ready"
    retry_after = 5


class IndexWriteError(ErrdexError):
    """The index cannot be written; the one before is whole."""

    title = "The index cannot be written"


class EncoderError(ErrdexError):
    """The embedding model cannot be used."""

    status = 503
    title = "The embedding model cannot be used"
    retry_after = 5


class BusyError(ErrdexError):
    """As many requests are at work as the server takes."""

    status = 503
    title = "The server is busy"
    retry_after = 1


class StoppingError(ErrdexError):
    """The server was told to stop; it serves what it accepted and takes nothing new."""

    status = 503
    title = "The server is stopping"
    retry_after = 1


class InternalError(ErrdexError):
    """A fault of errdex itself."""

    title = "This is a fault of errdex"


class StoreError(ErrdexError):
    """The store is switched off, does not answer, or was made by a newer errdex."""

    status = 503
    title = "The store cannot be used"
    retry_after = 5


class SiteError(ErrdexError):
    """MkDocs refused the site; the detail holds what it said."""

    title = "The site cannot be built"
