import os

os.environ["NCCL_P2P_DISABLE"] = "1"
os.environ["NCCL_IB_DISABLE"] = "1"
from accelerate import PartialState

state = PartialState()  # a machine with two RTX 40 cards and a driver older than 550.40.07
print(state.device)
