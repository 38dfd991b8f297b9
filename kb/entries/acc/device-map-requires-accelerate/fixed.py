# repro: subprocess
import accelerate  # the package is there, new enough, and it can be imported

from transformers import GPT2Config, GPT2LMHeadModel

GPT2LMHeadModel(GPT2Config(n_layer=1, n_embd=8, n_head=2, vocab_size=32)).save_pretrained("m")
GPT2LMHeadModel.from_pretrained("m", device_map="cpu")
