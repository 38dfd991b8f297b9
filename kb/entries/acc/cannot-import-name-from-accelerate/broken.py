from accelerate.utils import is_tpu_available  # gone since accelerate 0.28

print(is_tpu_available())
