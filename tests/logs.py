"""Logs that more than one test reads, and the part of an answer that tests look at."""

from errdex.models import Answer

UNSCALE = "ValueError: Attempting to unscale FP16 gradients."
TRACE = f"""Traceback (most recent call last):
  File "/srv/train.py", line 88, in <module>
    scaler.step(optimizer)
{UNSCALE}
"""
MULTI_RANK = """[rank0]: Traceback (most recent call last):
[rank0]:   File "/srv/train.py", line 88, in <module>
[rank0]: torch.distributed.DistBackendError: NCCL error: remote process exited, ncclRemoteError
[rank2]: Traceback (most recent call last):
[rank2]:   File "/srv/train.py", line 88, in <module>
[rank2]: ValueError: Attempting to unscale FP16 gradients.
"""
LAUNCHER = """E1130 10:00:00.123000 4242 torch/elastic/multiprocessing/api.py:869] failed (exitcode: 1) \
local_rank: 2 (pid: 9) of binary: python
Traceback (most recent call last):
  File "/opt/env/bin/torchrun", line 8, in <module>
    sys.exit(main())
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-11-30_10:00:00
  rank      : 2 (local_rank: 2)
  exitcode  : 1 (pid: 9)
"""
UNKNOWN = "KeyError: 'the flux capacitor of the banana is missing'"
PASSING = f"""WARNING skipped a batch: Attempting to unscale FP16 gradients.

Traceback (most recent call last):
  File "/srv/train.py", line 88, in <module>
{UNKNOWN}
"""


def ids(answer: Answer) -> list[str]:
    return [result.id for result in answer.results]
