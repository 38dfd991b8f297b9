"""Texts around secrets, and texts that only look like them: seeded, so that a figure can be repeated."""

import random
import re
import string
from collections.abc import Iterator
from typing import NamedTuple

from bench.privacy import kinds

# `{}` is the secret. What stands at both ends must be left, so that a rule that takes too much is found out.
AROUND_TOKENS = {
    "message": "ValueError: invalid token {} for this account",
    "traceback": '  File "/srv/train.py", line 42, in <module>\n    login("{}")\nRuntimeError: denied',
    "rank": "[rank0]: RuntimeError: request with {} failed",
    "json": '{{"level": "error", "credential": "{}", "step": 12}}',
    "escaped json": '{{"log": "first line\\n{}\\nlast line"}}',
    "yaml": "training:\n  credential: {}\n  epochs: 3",
    "namespace": "Namespace(lr=0.001, credential='{}', epochs=3)",
    "shell": "+ curl -s https://api.example.org/v1 -H 'X-Credential: {}' -o out.json",
    "query": "https://api.example.org/v1/models?k={}&page=2",
    "environment": 'declare -x CREDENTIAL="{}"\ndeclare -x LANG="C.UTF-8"',
    "pip": "WARNING: index https://pypi.example.org/{}/simple was skipped",
    "docker": "2026-11-30T10:00:00.123456789Z stderr F auth failed: {} rejected",
    "kubernetes": "E1130 10:00:00.000000 1 auth.go:63] unable to authenticate with {} (401)",
    "logger": "2026-11-30 10:00:00,123 - trainer - ERROR - hub said no to {}",
    "wandb": "wandb: ERROR api key {} is not valid",
    "colour": "\x1b[31mError\x1b[0m \x1b[1m{}\x1b[0m end",
    "torn colour": "[31mError[0m [1m{}[0m end",
    "tuple": "KeyError: ('models', '{}', 3)",
    "markdown": "I ran it with `{}` and it failed",
    "chinese": "训练时报错，凭据 {} 无效，请问怎么办",
    "chinese close": "這個憑據是{}，還是不行",
    "brackets": "auth <{}> refused [{}] end",
}
AROUND_NAMED = {
    "environment": "{name}={}",
    "export": "export {name}='{}'",
    "declare": 'declare -x {name}="{}"',
    "mapping": "environ({{'PATH': '/usr/bin', '{name}': '{}', 'LANG': 'C'}})",
    "json": '{{"{lower}": "{}", "epochs": 3}}',
    "yaml": "env:\n  {name}: {}\n  LANG: C",
    "namespace": "Namespace(lr=0.001, {lower}='{}', epochs=3)",
    "docker": 'docker run --gpus all -e {name}="{}" trainer:latest',
    "docker bare": "docker run --gpus all -e {name}={} trainer:latest",
    "toml": '{lower} = "{}"',
    "python": '    os.environ["{name}"] = "{}"',
    "rank": "[rank0]: {name}={}",
    "chinese": "我设置了 {name}={} 还是报错",
    "escaped json": '{{\\"{lower}\\": \\"{}\\", \\"n\\": 1}}',
}
AROUND_LINES = ("{}", "[rank1]: {}", "2026-11-30 10:00:00,123 - run - ERROR - {}", "step 1 done\n{}\nValueError: bad shape")

NEGATIVES = """
torch=={N1}.{N2}.{N1}+cu{N3} nvidia-cublas-cu12=={N2}.{N1}.{N1}.{N2}
nvidia-cublas-cu12           12.{N1}.{N1}.{N2}
NVIDIA driver version 535.{N3}.05, CUDA 12.1.{N3}
cuDNN version {N1}.{N1}.{N1}.{N2} found
commit {X40} of model bert-base-uncased
Resolved revision {X40}; snapshot /root/.cache/huggingface/hub/models--gpt2/snapshots/{X40}/config.json
sha256:{X64} model.safetensors
File "/home/user/project/train.py", line {N3}, in forward
  File "/usr/local/lib/python3.10/site-packages/torch/nn/modules/module.py", line {N4}, in _call_impl
pad_token_id={N1}, eos_token_id={N5}, bos_token='<s>', unk_token='<unk>', mask_token='[MASK]'
tokenizer.pad_token = tokenizer.eos_token
DEFAULT_PAD_TOKEN = "[PAD]"
IMAGE_TOKEN: <image>
num_key_value_heads={N2}, key_value_proj_dim={N3}
tokenizer_key='model.layers.{N2}.self_attn.k_proj.weight'
KeyError: 'model.layers.{N2}.mlp.gate_proj.weight'
password_reset=False, use_auth_token=None, token=None, api_key=None
max_new_tokens: {N4}, num_tokens={N9}
tensor([[ 0.{N4}, -1.{N4}, {N1}.{N4}e-0{N1}], [ 0.{N4}, 2.{N4}, 0.{N4}]], device='cuda:{N1}')
frame #{N1}: c10::Error::Error(c10::SourceLocation, std::string) + 0x{X2} (0x7f{X10} in /opt/lib/libc10.so)
frame #{N2}: at::native::add_kernel(at::TensorIteratorBase&) + 0x{X4} (0x{X12} in libtorch_cpu.so)
W1130 10:00:0{N1}.{N6} {N5} torch/distributed/run.py:{N3}] OMP_NUM_THREADS=1
connect to 127.0.0.1:{N5} failed; listening on 0.0.0.0:{N5}
[rank{N1}]: RuntimeError: mat1 and mat2 must have the same dtype, but got Half and Float
node-{N1}: RuntimeError: CUDA out of memory. Tried to allocate {N2}.{N2} GiB
worker{N1}: [E ProcessGroupNCCL.cpp:{N3}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={N5}, Timeout(ms)=600000)
(pid={N5}) ValueError: expected sequence of length {N3} at dim 1 (got {N3})
(RayTrainWorker pid={N5}) step {N4} loss nan
GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-{X8}-{X4}-{X4}-{X4}-{X12})
0000:{X2}:00.0 3D controller: NVIDIA Corporation GA100 (rev a1)
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA{B120}
from google.protobuf.internal import builder as _builder
AttributeError: '_thread._local' object has no attribute 'stream{N1}'
local = threading.local()
tensorflow.python.framework.internal.foo{N1}
git clone git@github.com:huggingface/transformers.git
pip install git+https://github.com/huggingface/peft@v0.{N1}.0
epoch {N2}/{N2} step {N5}/{N6} [{N2}:{N2}:{N2}<{N2}:{N2}, {N1}.{N2}it/s, loss={N1}.{N4}]
timestamp {N10}{N9} ns, id {N15}
trainable params: {N8} || all params: {N10} || trainable%: 0.{N4}
TypeError: forward() got an unexpected keyword argument 'cache_position_{N1}'
@torch.no_grad()
memcpy@@GLIBC_2.14 symbol lookup error: /opt/lib/libfoo@libtorch.so.{N1}
--pad_token "<pad>" --tokenizer_name gpt2 --seed {N2}
primary key (step) of table runs, sort_key=step{N1}
ImportError: cannot import name 'Secret' from 'module_{L6}'
ValueError: Password: must be at least 8 characters
basic configuration of the trainer, bearer of bad news
torch.cuda.OutOfMemoryError: CUDA out of memory. GPU {N1} has a total capacity of 79.{N2} GiB
deepspeed_config={{'zero_optimization': {{'stage': {N1}}}, 'train_batch_size': {N3}}}
PWD=/workspace/project{N1}
self.password = password
api_key = os.environ.get("OPENAI_API_KEY")
access_token=self.token, secret_key=settings.SECRET_KEY
Traceback (most recent call last):
RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:{N1} and cpu!
size mismatch for transformer.h.{N2}.attn.c_attn.weight: copying a param with shape torch.Size([{N4}, {N4}])
sklearn: sk-learn-contrib is not scikit-learn-extra
task-{X8}-{X4}-{X4}-{X4}-{X12} finished
run-{N8}_{N6}-{L8} synced 5 W&B file(s)
/tmp/pymp-{L8}/listener-{L8}
训练到第 {N3} 步时 loss 变成 nan，显存占用 {N2} GB
<torch.cuda.Event object at 0x7f{X10}>
libcudart.so.12.1.{N3}: cannot open shared object file
on node {N1}: rank {N1} exited
on host memory, on node failure
compute capability {N1}.{N1}, sm_{N2}
c10::BFloat16, c10::add::fade
2026:11:30 10:00:0{N1} exif
version 1.{N1}.{N1}.{N1} of the plugin
hf_hub_download() got an unexpected keyword argument 'local_dir_{N1}'
rm -rf key-value-store sl.config re_pattern secret_santa
"""

_LETTERS = {
    "W": string.ascii_letters + string.digits,
    "X": string.hexdigits[:16],
    "N": string.digits,
    "C": string.ascii_uppercase + string.digits,
    "L": string.ascii_lowercase + string.digits,
    "B": string.ascii_letters + string.digits + "+/",
    "D": string.ascii_letters + string.digits + "_-",
}
_USERS = ("alice", "bob.k", "carol", "dzhang", "eve_m", "xiaoming", "jdoe", "kwok-w", "ana2", "m.sato")
_HOSTS = ("gpu-a17", "dgx-12", "lambda-quad", "train-box3", "hpc-n042", "zeus-01", "ml-rig2")
_PART = re.compile(r"\{([WXNCLBDOUHP])(\d*)\}")
_SECRET = re.compile("«([^»]*)»")


class Pair(NamedTuple):
    """A text, and what must be gone from it.

    Attributes:
        kind: name of the kind of secret.
        carrier: name of what stands around it.
        text: both together.
        secrets: pieces that must not be found afterwards.
        kept: pieces that must still be there.
    """

    kind: str
    carrier: str
    text: str
    secrets: tuple[str, ...]
    kept: tuple[str, ...] = ()


def _password(chance: random.Random, length: int) -> str:
    """As a generator makes them: letters, digits and a few marks, at least one digit."""
    body = [chance.choice(_LETTERS["W"] + "!#%^*+~") for _ in range(length - 2)]
    return chance.choice(string.ascii_letters) + "".join(body) + chance.choice(string.digits)


def filled(template: str, chance: random.Random) -> str:
    """A template with every part replaced by something random."""

    def part(match: re.Match[str]) -> str:
        letter, length = match[1], int(match[2] or 0)
        match letter:
            case "O":
                return str(chance.randint(1, 254))
            case "U":
                return chance.choice(_USERS)
            case "H":
                return chance.choice(_HOSTS)
            case "P":
                return _password(chance, length)
            case "N":
                return str(chance.randint(1, 9)) + "".join(chance.choices(string.digits, k=length - 1))
            case _:
                text = "".join(chance.choices(_LETTERS[letter], k=length))
                # No word begins or ends with a hyphen; a generator of tokens does not make them, either.
                return re.sub(r"^[-_+/]|[-_+/]$", lambda _: chance.choice(string.ascii_letters), text)

    return _PART.sub(part, template)


def _listed(block: str) -> list[tuple[str, str]]:
    return [(name, template) for line in block.strip().splitlines() for name, _, template in [line.partition(": ")]]


def _card(chance: random.Random) -> str:
    digits = [4, *(chance.randint(0, 9) for _ in range(14))]
    total = sum(sum(divmod(2 * d, 10)) if place % 2 == 0 else d for place, d in enumerate(digits))
    text = "".join(map(str, [*digits, -total % 10]))
    return text if chance.random() < 0.5 else " ".join(text[i : i + 4] for i in range(0, 16, 4))


def _ends(carrier: str) -> tuple[str, ...]:
    before, _, after = carrier.partition("{}")
    if "\x1b" in carrier:
        return ()  # colours go, too
    words = before.split()[:1] + after.split("{}")[-1].split()[-1:]
    return tuple(
        word.replace("{{", "{").replace("}}", "}") for word in words if "{" not in word.replace("{{", "").replace("}}", "")
    )


def _token(kind: str, template: str, chance: random.Random) -> Pair:
    name, carrier = chance.choice(list(AROUND_TOKENS.items()))
    whole = filled(template, chance)
    secrets = tuple(_SECRET.findall(whole)) or (whole,)
    text = carrier.replace("{}", whole.replace("«", "").replace("»", "")).replace("{{", "{").replace("}}", "}")
    return Pair(kind, name, text, secrets, tuple(word for word in _ends(carrier) if len(word) > 1))


def _named(kind: str, template: str, chance: random.Random) -> Pair:
    name, carrier = chance.choice(list(AROUND_NAMED.items()))
    secret = filled(template, chance)
    text = carrier.replace("{name}", kind).replace("{lower}", kind.lower()).replace("{}", secret)
    return Pair(kind, name, text.replace("{{", "{").replace("}}", "}"), (secret,))


def _fragment(kind: str, template: str, chance: random.Random) -> Pair:
    whole = filled(template, chance).replace("⏎", "\n").replace("¤", _card(chance))
    # A prompt, a host in a table and the like stand at the start of their line.
    carrier = "step 1 done\n{}\nValueError: bad shape" if whole.startswith((" ", "«", "[", "(")) else chance.choice(AROUND_LINES)
    return Pair(kind, carrier, carrier.format(whole.replace("«", "").replace("»", "")), tuple(_SECRET.findall(whole)))


def kinds_of_secrets() -> list[str]:
    """Names of all kinds."""
    return [name for block in (kinds.TOKENS, kinds.NAMED, kinds.FRAGMENTS) for name, _ in _listed(block)]


def pairs(count: int, seed: int) -> Iterator[Pair]:
    """Secrets in carriers, every kind as often as every other."""
    chance = random.Random(seed)
    makers = [(_token, item) for item in _listed(kinds.TOKENS)]
    makers += [(_named, item) for item in _listed(kinds.NAMED)]
    makers += [(_fragment, item) for item in _listed(kinds.FRAGMENTS)]
    for number in range(count):
        make, (kind, template) = makers[number % len(makers)]
        yield make(kind, template, chance)


def negatives(count: int, seed: int) -> Iterator[Pair]:
    """Texts of which nothing may be removed."""
    chance = random.Random(seed)
    lines = NEGATIVES.strip().splitlines()
    for number in range(count):
        template = lines[number % len(lines)]
        yield Pair(template[:60], "", filled(template, chance).replace("{{", "{").replace("}}", "}"), ())
