import torch
from transformers import GPT2Config, GPT2LMHeadModel

config = GPT2Config(vocab_size=100, n_embd=8, n_layer=1, n_head=1, bos_token_id=0, eos_token_id=0)
model = GPT2LMHeadModel(config)

new_token = 100  # the id of a token that was added to the tokenizer: rows 0..99 exist
print(model(input_ids=torch.tensor([[5, new_token]])).logits.shape)
