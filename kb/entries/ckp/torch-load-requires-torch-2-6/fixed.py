from transformers import BertConfig, BertModel

config = BertConfig(vocab_size=16, hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=1)
model = BertModel(config)
model.save_pretrained("model")  # model.safetensors

BertModel.from_pretrained("model")
