from huggingface_hub import cached_download  # gone since huggingface_hub 0.26

print(cached_download.__name__)
