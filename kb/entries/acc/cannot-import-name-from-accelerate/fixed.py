from accelerate.utils import is_torch_xla_available  # its successor

print(is_torch_xla_available())
