"""Personal parts: who ran it, on which machine, at which address."""

from errdex.rule import Rule

_NOT_A_NAME = r"/\\\s:\"'`,;)(\[\]{}<>|，。；：、）】」"
_PERSONAL = (
    Rule(
        "e-mail",
        r"\b(?!git@)[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,7}(?!(?:so|py|cc|cu|cpp|json|ya?ml|txt|log)\b)[A-Za-z]{2,24}\b",
        "<email>",
        needle="@",
    ),
    Rule(
        "home folders",
        rf"(/(?:home|Users|users)/)(?!(?:user|runner|ubuntu|ec2-user|jovyan|vscode|azureuser|sagemaker-user|aistudio|shared|Shared)"
        rf"(?:[{_NOT_A_NAME}]|$))[^{_NOT_A_NAME}]{{1,64}}(?=[{_NOT_A_NAME}]|$)",
        r"\1user",
    ),
    Rule(
        "home folders",
        r"(:\\{1,4}[Uu]sers\\{1,4})(?!(?:user|Public|Default)\\)[^\\/:*?\"'<>|\n]{1,64}(?=\\)",
        r"\1user",
    ),
    Rule(
        "user and host names",
        r"[A-Za-z_][A-Za-z0-9_.-]{0,31}@[A-Za-z0-9][A-Za-z0-9.-]{0,62}(?=:[~/][^\s$#]{0,200}[$#](?:\s|$))",
        "user@host",
        check="prompt",
        needle="@",
    ),
    Rule(
        "user and host names",
        r"(\[)(?!user@host )[A-Za-z_][A-Za-z0-9_.-]{0,31}@[A-Za-z0-9][A-Za-z0-9.-]{0,62}(?= [^\]\s]{1,100}\][$#])",
        r"\1user@host",
        needle="@",
    ),
    Rule(
        "user and host names",
        r"(\b(?:ssh|scp|rsync|sftp) [^\n@]{0,120}?)\b(?!user@host)[A-Za-z_][A-Za-z0-9_.-]{0,31}"
        r"@(?!github|gitlab)[A-Za-z0-9][A-Za-z0-9.-]{0,62}",
        r"\1user@host",
        needle="@",
    ),
    Rule(
        "user and host names",
        r"(\b(?:USER|LOGNAME|USERNAME|SUDO_USER|JUPYTERHUB_USER|GIT_AUTHOR_NAME)(?:=|[\"']: ?)[\"']?)"
        r"(?!(?:user|root|ubuntu|jovyan|runner)\b)[^\s\"',;=]{1,64}",
        r"\1user",
    ),
    Rule("user and host names", r"([Ll]ogged in as:? )(?!user\b)[A-Za-z0-9_.-]{1,64}(?: \([A-Za-z0-9_. -]{1,64}\))?", r"\1user"),
    Rule("user and host names", r"(wandb\.ai/)(?!(?:site|authorize|quickstart|docs|user)\b)[A-Za-z0-9._-]{1,64}(?=/)", r"\1user"),
    Rule(
        "user and host names",
        r"(^[ \t]{0,8}host[ \t]{1,10}: )(?!localhost|host-0)[A-Za-z0-9][A-Za-z0-9.-]{0,252}",
        r"\1host-0",
        "m",
    ),
    Rule(
        "user and host names",
        r"((?:\bhostname|\bnodename|HOSTNAME|NODENAME|NODELIST|HOST_NAME|MASTER_ADDR|\bmaster_addr)"
        r"\\?[\"']?(?:=|: ?| = )\\?[\"']?)"
        r"(?!localhost|host-0|None|null|str\b|self\b|os\b|socket\b|args\b)(?=[0-9.-]{0,60}[A-Za-z\[])[A-Za-z0-9][A-Za-z0-9.\[\],-]{0,252}(?![A-Za-z0-9_(])",
        r"\1host-0",
    ),
    Rule(
        "user and host names",
        r"(\b[Oo]n (?:host|node|machine) [`'\"]?)(?!(?:node|worker|host|rank|master|gpu)[_-]?\d{0,5}(?![A-Za-z0-9.-]))"
        r"(?=[A-Za-z][A-Za-z.]{0,60}[0-9-])"
        r"[A-Za-z][A-Za-z0-9.-]{1,252}\b",
        r"\1host-0",
    ),
    Rule(
        "user and host names",
        r"(?<![A-Za-z0-9_.-])[A-Za-z][A-Za-z0-9.-]{1,63}(?=:\d{1,7}:\d{1,7} \[\d{1,3}\] NCCL )",
        "host-0",
        check="host",
        needle=" nccl ",
    ),
    Rule("user and host names", r"(\bLinux )(?!host-0)[A-Za-z0-9][A-Za-z0-9.-]{1,63}(?= \d\.\d{1,2}\.\d)", r"\1host-0"),
    Rule(
        "user and host names",
        r"(?<![A-Za-z0-9_.-])(?:[A-Za-z0-9-]{1,63}\.){1,7}(?:internal|local|corp|lan|intra|intranet|private|localdomain|home\.arpa)"
        r"(?![A-Za-z0-9_.(-])",
        "host-0",
        check="domain",
    ),
    Rule(
        "user and host names",
        r"(?<![A-Za-z0-9_.-])(?:ec2-\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3}|ip-\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3})(?:\.[A-Za-z0-9-]{1,63}){0,6}",
        "host-0",
    ),
)
_NUMBERS = (
    Rule(
        "IP and MAC addresses",
        r"(?:(?<![A-Za-z0-9_:.])|(?<=\\[nrt])|(?<=[0-9;[]m))(?:(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}|(?:fe80|f[cd][0-9A-Fa-f]{2}|[23][0-9A-Fa-f]{3}):"
        r"(?:[0-9A-Fa-f]{1,4}:){0,5}(?::[0-9A-Fa-f]{1,4}){1,6})(?:%[A-Za-z0-9]{1,16})?(?![A-Za-z0-9_:])",
        "<ip>",
        "i",
    ),
    Rule(
        "IP and MAC addresses",
        r"(?:(?<![A-Za-z0-9_:-])|(?<=\\[nrt])|(?<=[0-9;[]m))[0-9A-Fa-f]{2}(?:(?::[0-9A-Fa-f]{2}){5}|(?:-[0-9A-Fa-f]{2}){5})(?![A-Za-z0-9_:-])",
        "<mac>",
        check="mac",
    ),
    Rule(
        "IP and MAC addresses",
        r"(?:(?<![\w.-])|(?<=\\[nrt])|(?<=[0-9;[]m))(?<!==)(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\d|-)",
        "<ip>",
        check="address",
    ),
    Rule(
        "card numbers",
        r"(?<![\w.-])(?=4|5[1-5]|2[2-7]|6011|65)\d{4}(?:\d{12}|(?:[ -]\d{4}){3})(?![\w.-]|[ -]\d)|"
        r"(?<![\w.-])(?=3[47])\d{4}(?:\d{11}|[ -]\d{6}[ -]\d{5})(?![\w.-]|[ -]\d)",
        "<card>",
        check="luhn",
    ),
)
PERSONAL: tuple[Rule, ...] = (*_PERSONAL, *_NUMBERS)
