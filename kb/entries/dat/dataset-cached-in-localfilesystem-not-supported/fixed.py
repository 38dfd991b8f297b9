import json

from datasets import Dataset  # datasets 2.14.4 with fsspec 2023.10.0

with open("train.json", "w") as file:
    json.dump([{"text": "hello"}], file)
with open("train.json") as file:
    print(Dataset.from_list(json.load(file)))  # without the cache; the cure is an upgrade of datasets
