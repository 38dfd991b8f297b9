import torch

rnn = torch.nn.RNN(2, 4)
hidden = None
for step in range(2):
    output, hidden = rnn(torch.randn(3, 1, 2), hidden)
    output.sum().backward()
