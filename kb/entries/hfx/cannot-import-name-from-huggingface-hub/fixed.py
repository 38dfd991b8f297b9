from huggingface_hub import hf_hub_download  # its successor

print(hf_hub_download.__name__)
