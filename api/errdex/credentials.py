"""Secrets that their own form gives away: tokens by how they begin, and keys, addresses and the like by their shape."""

import re

from errdex.rule import Rule

# Letters of the table below: W letters and digits, U with underscore, D with hyphen too, P with dot too, B base64, X hex, N
# digits, C capitals and digits.
_CLASSES = {
    "W": "[A-Za-z0-9]",
    "U": "[A-Za-z0-9_]",
    "D": "[A-Za-z0-9_-]",
    "P": "[A-Za-z0-9._-]",
    "B": "[A-Za-z0-9+/=_-]",
    "X": "[0-9a-f]",
    "N": "[0-9]",
    "C": "[A-Z0-9]",
}
# Placeholder, kind, then each form as its literal beginning, a blank, and the rest.
_TOKENS = (
    ("<api-key>", "errdex itself", "edx_ W{20,}"),
    (
        "<hf-token>",
        "Hugging Face",
        "hf_ W{16,} | hf_oauth_ P{16,} | api_org_ W{16,}",
    ),
    (
        "<api-key>",
        "model providers",
        "sk- (?=[A-Za-z_-]{0,80}N)D{16,} | sk_ (?=[a-z]{0,60}N)X{40,} | gsk_ W{20,} | r8_ W{20,} | nvapi- D{20,} | "
        "pplx- W{20,} | xai- W{20,} | csk- W{20,} | fw_ W{20,} | tgp_v1_ D{20,} | jina_ W{20,} | tvly- D{16,} | "
        "fc- X{32} | e2b_ X{32,} | pcsk_ U{20,} | lsv2_pt_ U{20,} | lsv2_sk_ U{20,} | ls__ W{20,} | pk-lf- D{16,} | "
        "rpa_ C{20,} | KGAT_ X{16,} | wandb_v1_ U{16,} | dapi X{32} | ABSK B{40,} | pa- (?=D{0,80}N)D{30,}",
    ),
    (
        "<github-token>",
        "GitHub",
        "ghp_ U{16,} | gho_ U{16,} | ghu_ U{16,} | ghs_ U{16,} | ghr_ U{16,} | github_pat_ U{16,}",
    ),
    (
        "<gitlab-token>",
        "GitLab",
        "glpat- P{16,} | gldt- D{16,} | glrt- D{16,} | glptt- D{16,} | glcbt- D{16,} | glft- D{16,} | glsoat- D{16,} | "
        "glagent- D{16,} | gloas- D{16,} | glimt- D{16,} | glffct- D{16,} | GR1348941 D{16,}",
    ),
    (
        "<slack-token>",
        "Slack",
        "xoxa- D{10,} | xoxb- D{10,} | xoxe- D{10,} | xoxe. P{10,} | xoxo- D{10,} | xoxp- D{10,} | xoxr- D{10,} | "
        "xoxs- D{10,} | xapp- D{10,} | hooks.slack.com/services/ [A-Za-z0-9/]{16,} | "
        "hooks.slack.com/workflows/ [A-Za-z0-9/]{16,}",
    ),
    (
        "<cloud-key>",
        "clouds (AWS, Azure, Google, Alibaba, Tencent, …)",
        "AKIA C{16} | ASIA C{16} | ABIA C{16} | ACCA C{16} | AIza D{30,} | ya29. D{20,} | GOCSPX- D{20,} | 1//0 D{30,} | "
        "LTAI W{12,20}(?![A-Za-z0-9]) | AKID W{32}(?![A-Za-z0-9]) | dop_v1_ X{32,} | doo_v1_ X{32,} | dor_v1_ X{32,} | "
        "HRKU- D{30,} | fm2_ B{30,} | fo1_ D{30,} | nfp_ W{20,} | rnd_ W{20,} | sbp_ X{30,} | SCW C{17} | AQVN D{30,} | "
        "t1. P{80,} | y0_ D{30,} | tskey- D{16,} | pscale_tkn_ P{20,} | pscale_pw_ P{20,} | pscale_oauth_ P{20,}",
    ),
    (
        "<token>",
        "package registries, builds and source hosts",
        "npm_ W{20,} | pypi- D{20,} | rubygems_ X{30,} | dckr_pat_ D{16,} | dckr_oat_ D{16,} | "
        "cio W{32}(?![A-Za-z0-9]) | oy2 [a-z0-9]{43} | AKCp W{20,} | ATBB W{20,} | ATATT3 B{30,} | ATCTT3 B{30,} | "
        "CCIPAT_ U{20,} | CCIPRJ_ U{20,} | bkua_ X{30,} | sgp_ U{30,} | squ_ X{30,} | sqp_ X{30,} | sqa_ X{30,} | "
        "PMAK- D{20,} | CLOJARS_ [a-z0-9]{40,} | pnu_ W{20,} | pnb_ W{20,} | pul- X{30,} | ico- W{32}",
    ),
    (
        "<token>",
        "secret stores",
        "hvs. D{20,} | hvb. D{20,} | hvr. D{20,} | dp.pt. W{30,} | dp.st. P{30,} | dp.ct. W{30,} | dp.sa. W{30,} | "
        "st. X{8,}-P{20,} | ops_eyJ B{60,} | A3- C{6}-D{20,} | AGE-SECRET-KEY-1 C{50,}",
    ),
    (
        "<token>",
        "payment and shops",
        "sk_live_ W{10,} | sk_test_ W{10,} | rk_live_ W{10,} | rk_test_ W{10,} | pk_live_ W{10,} | whsec_ B{20,} | "
        "sq0atp- D{20,} | sq0csp- D{30,} | shpat_ X{30,} | shpca_ X{30,} | shppa_ X{30,} | shpss_ X{30,} | "
        "shippo_live_ X{30,} | duffel_live_ D{30,} | duffel_test_ D{30,} | FLWSECK_TEST- D{10,} | FLWSECK- D{10,} | "
        "EZAK W{40,} | EZTK W{40,} | access_token$production$ [a-z0-9$]{20,} | access-production- D{30,} | "
        "access-sandbox- D{30,}",
    ),
    (
        "<token>",
        "mail, chat and office",
        "SG. D{16,}.D{16,} | xkeysib- D{30,} | re_ W{6,12}_W{16,} | key- X{32} | ntn_ W{30,} | secret_ W{40,} | "
        "lin_api_ W{30,} | lin_oauth_ W{30,} | figd_ D{30,} | tfp_ P{30,} | CFPAT- D{30,} | sl. D{60,} | rdme_ W{30,} | "
        "fio-u- D{30,} | discord.com/api/webhooks/ N{10,}/D{30,} | discordapp.com/api/webhooks/ N{10,}/D{30,} | "
        "open.feishu.cn/open-apis/bot/v2/hook/ D{16,} | open.larksuite.com/open-apis/bot/v2/hook/ D{16,}",
    ),
    (
        "<token>",
        "monitoring",
        "NRAK- C{20,} | NRII- D{20,} | NRJS- X{16,} | sntrys_ B{30,} | sntryu_ X{30,} | sntryi_ X{30,} | glc_ B{30,} | "
        "glsa_ U{30,} | dt0c01. C{20,}.C{30,} | dt0s01. C{6,}.C{30,} | hcaik_ [a-z0-9]{30,} | hcxik_ [a-z0-9]{30,} | "
        "xaat- D{30,} | xapt- D{30,} | phx_ W{30,} | phc_ W{30,} | sdk- X{8}-X{4}-X{4}-X{4}-X{12} | aio_ W{20,} | "
        "BBFF- W{20,} | dnkey- D{20,} | zpka_ U{30,} | sm_aat_ W{16,}",
    ),
)


def _tokens() -> list[Rule]:
    """A token begins where no word does; colours and written-out line ends stand before words without being part of them."""
    rules = []
    for placeholder, kind, forms in _TOKENS:
        for form in forms.split(" | "):
            begin, rest = form.split(" ", 1)
            begin = re.escape(begin)
            body = re.sub(r"[WUDPBXNC](?=\{|$|-|\))", lambda found: _CLASSES[found[0]], rest)
            body = re.sub(r"(?<=\}|\))\.(?=\[)", r"\\.", body)
            starts = rf"(?:(?<![A-Za-z0-9]{begin})|(?<=\\[nrt]{begin})|(?<=[0-9;[]m{begin})|(?<=%[0-9A-Fa-f][0-9A-Fa-f]{begin}))"
            rules.append(Rule(kind, f"{begin}{starts}{body}", placeholder))
    return rules


_EDGE = r"(?:(?<![A-Za-z0-9_])|(?<=\\[nrt])|(?<=[0-9;[]m))"  # a line end may be written out, a colour have lost its escape
_FORMS = (
    Rule(
        "JSON web tokens",
        r"eyJ(?:(?<![A-Za-z0-9]eyJ)|(?<=\\[nrt]eyJ)|(?<=[0-9;[]meyJ))[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){1,3}",
        "<jwt>",
    ),
    Rule(
        "values named like a token",
        r"eyJ(?:(?<![A-Za-z0-9]eyJ)|(?<=\\[nrt]eyJ)|(?<=[0-9;[]meyJ))[A-Za-z0-9+/]{100,}={0,2}",
        "<token>",
    ),  # Neptune's, Grafana's
    Rule(
        "mail, chat and office",
        r"(?=[MNO])[A-Za-z0-9_-]{24,28}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])",
        "<token>",
    ),
    Rule("mail, chat and office", r"(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{32,35}(?![A-Za-z0-9_-])", "<token>", needle=":aa"),
    Rule("mail, chat and office", rf"{_EDGE}pat[A-Za-z0-9]{{14}}\.[0-9a-f]{{64}}", "<token>", needle="pat"),
    Rule("mail, chat and office", rf"{_EDGE}[0-9a-f]{{32}}-us\d{{1,2}}\b", "<token>", needle="-us"),
    Rule("mail, chat and office", rf"({_EDGE}SK)[0-9a-f]{{32}}\b", r"\1<token>", needle="sk"),
    Rule("secret stores", r"[A-Za-z0-9]{14,17}\.atlasv1\.[A-Za-z0-9_=-]{60,70}", "<token>", needle=".atlasv1."),
    Rule(
        "clouds (AWS, Azure, Google, Alibaba, Tencent, …)",
        r"[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])",
        "<cloud-key>",
        needle="q~",
    ),
    Rule(
        "SSH keys",
        r"\b(ssh-(?:rsa|dss|ed25519) |ecdsa-sha2-nistp\d{3} )AAAA[A-Za-z0-9+/=]{40,}"
        r"(?: [A-Za-z0-9._-]{1,64}@[A-Za-z0-9._-]{1,64})?",
        r"\1<ssh-key>",
    ),
    Rule("addresses with a password", r"(://)[^\s/@:\"']{0,200}:[^\s/@\"']{1,200}@", r"\1<credential>@"),
    Rule("addresses with a password", r"(://)[A-Za-z0-9_.~-]{16,200}@", r"\1<credential>@"),
)
CREDENTIALS: tuple[Rule, ...] = (*_tokens(), *_FORMS)
# Runs over lines, so it goes over the whole text first; a key without its end takes the lines that look like one.
PRIVATE_KEY = Rule(
    "private keys",
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:[^-]|-(?!----)){0,12000}-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|"
    r"(?:(?:\s|\\n|\\r){1,8}[A-Za-z0-9+/=]{16,2000}){0,400})",
    "<private-key>",
)
