import json

from datasets import load_dataset  # datasets 2.14.4 with fsspec 2023.10.0

with open("train.json", "w") as file:
    json.dump([{"text": "hello"}], file)
print(load_dataset("json", data_files="train.json", split="train"))
