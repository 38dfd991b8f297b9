import torch
from transformers import LlamaConfig, LlamaForCausalLM

config = LlamaConfig(vocab_size=64, hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2)
config.save_pretrained("model")
torch.save(LlamaForCausalLM(config).state_dict(), "model/pytorch_model.bin")  # not safetensors
device_map = {"model": "cpu", "lm_head": "disk"}  # what "auto" chooses when the memory is too small
LlamaForCausalLM.from_pretrained("model", device_map=device_map)
