import torch

logits = torch.randn(5, 1, 3, dtype=torch.bfloat16)
target = torch.tensor([[1]])
log_probs = logits.log_softmax(-1)
loss = torch.nn.functional.ctc_loss(log_probs, target, torch.tensor([5]), torch.tensor([1]))
print(loss.dtype)
