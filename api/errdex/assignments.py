"""Secrets that only the name before them gives away: headers, settings, options, sentences."""

from errdex.rule import Rule

# Names of values. Whether the value may be one, a check of `redact` decides: True, None, a variable or a type is none.
_SECRET_NAME = (
    r"(?:api[_-]?key|secret[_-]?access[_-]?key|secret[_-]?key|(?:client|app|shared|consumer|webhook|oauth|jwt|cookie|session)[_-]?secret|"
    r"secret[_-]?id|(?:signing|encryption|master|account|storage|subscription|license|deploy|service|openai|azure|anthropic|kaggle|app|"
    r"sharedaccess|admin|root|ssh|host|functions?|primary|secondary)[_-]?key|access[_-]?key(?:[_-]?(?:id|secret))?|"
    r"private[_-]?key(?:[_-]?id)?|client-key-data|sharedaccesssignature|credentials?|_auth|_secret|secret|"
    r"sessionid|session_id|csrftoken|phpsessid|jsessionid|connect\.sid)"
)
_TOKEN_NAME = (
    r"(?:(?:hf|hub|huggingface(?:hub)?(?:_api)?|hugging_face(?:_hub)?|github|gh|gitlab|wandb|neptune(?:_api)?|comet|kaggle|databricks|"
    r"replicate|vault|slack|discord|telegram|npm|pypi|azure|sas|api|bot|session|refresh|auth|access|bearer|security|login|personal|"
    r"deploy|http|job|tracking|id|csrf|xsrf|identity|oauth|service|private|user|app|device|client|admin|jupyter|registration|codecov|sonar|snyk|ngrok)"
    r"[_-]?token)"
)
_PASSWORD_NAME = (
    r"(?:password|passwd|passphrase|passcode|(?:db|smtp|mail|ftp|ssh|sudo|user|root|admin|mysql|redis|pg|proxy)[_-]?pass)"
)
_SAID = r"\\?[\"']?\]?(?:[ \t]{0,3}(?:=>|=|:)[ \t]{0,3}|[ \t]{0,3}：[ \t]{0,3})"  # what stands between a name and its value
_VALUE = r"(?:\\?b?\"[^\"\n]{3,500}\"|b?'[^'\n]{3,500}'|[^\s\"'`,;()<>&{}\[\]|]{4,2000})"

_HEADERS = (
    Rule("headers", r"(AWS4-HMAC-SHA256 )Credential=[^\"'\n]{8,2000}", r"\1<credential>"),
    Rule(
        "headers",
        r"(authorization\\?[\"']?[ \t]{0,2}[:=][ \t]{0,2}\\?b?[\"']?(?:(?:bearer|basic|token|digest|negotiate|apikey|bot|key) )?)"
        r"(?!aws4-)(?=[A-Za-z._~-]{0,200}[0-9=+/]|[A-Za-z._~-]{24})[^\s\"'<]{6,4000}(?:, ?[A-Za-z]{1,30}=[^\s\"',]{1,2000}){0,8}",
        r"\1<credential>",
        "i",
    ),
    Rule(
        "headers",
        r"(\bcookie\\?[\"']?[ \t]{0,2}[:=][ \t]{0,2}\\?b?[\"']?)[A-Za-z0-9_.-]{1,100}=[^\"'\n]{1,4000}",
        r"\1<cookie>",
        "i",
    ),
    Rule(
        "headers",
        r"(\b(?:bearer|basic) )(?=[A-Za-z._~+/=-]{0,200}[0-9])[A-Za-z0-9._~+/=-]{16,4000}",
        r"\1<credential>",
        "i",
    ),
)
_NAMED = (
    Rule("values named like a key or a secret", rf"({_SECRET_NAME}{_SAID}){_VALUE}", r"\1<secret>", "i", "secret"),
    Rule("values named like a key or a secret", rf"([A-Z]_KEY{_SAID}){_VALUE}", r"\1<secret>", check="token"),
    Rule("values named like a token", rf"({_TOKEN_NAME}{_SAID}){_VALUE}", r"\1<secret>", "i", "secret"),
    Rule("values named like a token", rf"(token{_SAID}){_VALUE}", r"\1<secret>", "i", "token"),
    Rule("values named like a password", rf"({_PASSWORD_NAME}\\?[\"']?[=:]){_VALUE}", r"\1<secret>", "i", "password", "pass"),
    Rule("values named like a password", rf"({_PASSWORD_NAME}{_SAID}){_VALUE}", r"\1<secret>", "i", "marked", "pass"),
    # A shell's PWD is a folder.
    Rule("values named like a password", rf"(pwd{_SAID})(?!\\?[\"']?[/~.$]){_VALUE}", r"\1<secret>", "i", "marked"),
    Rule(
        "values of options",
        r"(--?(?:[a-z0-9]{1,20}[_-]){0,3}(?:password|passwd|pass|token|api[_-]?key|secret|secret[_-]key|access[_-]key|auth[_-]?key)"
        rf" )(?!-){_VALUE}",
        r"\1<secret>",
        "i",
        "marked",
    ),
    Rule(
        "values of options",
        r"(\b(?:sshpass -p ?|curl [^\n]{0,200}?-u ?[\"']?[^\s:\"']{1,100}:|curl [^\n]{0,200}?--user[ =][\"']?[^\s:\"']{1,100}:|"
        r"login [^\s]{1,100}\s{1,4}password ))[^\s\"'<]{4,200}",
        r"\1<secret>",
    ),
    Rule("values of options", r"(\bauth=\([\"'])[^\"'\n]{1,100}[\"'], ?[\"'][^\"'\n]{1,200}(?=[\"'])", r"\1<credential>"),
    Rule("values of options", r"(\"auth\": ?\")[A-Za-z0-9+/=]{12,2000}(?=\")", r"\1<credential>"),
    Rule(
        "values named like a password",
        r"((?:密码|密碼|口令|密钥|密鑰|金鑰|令牌|權杖|凭证|憑證)(?:是|为|為|設為|设为)?[：:= ]{0,3}[\"'“「]?)"
        r"(?=[!-/:-~]{0,60}[0-9]|[A-Za-z]{20})[!#-&*-;=?-~]{6,200}",
        r"\1<secret>",
    ),
)
# Behind the rest, since an address ends sooner than a setting.
_QUERIES = (
    Rule(
        "signed addresses",
        r"([?&;](?:x-amz-(?:signature|credential|security-token)|x-goog-(?:signature|credential)|x-oss-(?:signature|credential)|"
        r"x-tos-(?:signature|credential)|q-(?:signature|ak)|signature|sig|policy|key-pair-id|awsaccesskeyid|ossaccesskeyid|"
        r"googleaccessid|security-token|access_token|refresh_token|id_token|token|auth|auth_key|authkey|apikey|api_key|key|secret|"
        r"client_secret|password|passwd|pwd|code|private_token|job_token|sessionid)=)[^\s&\"'<>#;,)\]}]{6,4000}",
        r"\1<secret>",
        "i",
    ),
)
ASSIGNMENTS: tuple[Rule, ...] = (*_HEADERS, *_NAMED, *_QUERIES)
