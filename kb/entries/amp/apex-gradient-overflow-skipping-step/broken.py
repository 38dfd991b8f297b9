import torch
from apex import amp

model = torch.nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
model, optimizer = amp.initialize(model, optimizer, opt_level="O1")

loss = model(torch.full((2, 4), 10.0, device="cuda")).sum()
with amp.scale_loss(loss, optimizer) as scaled_loss:
    scaled_loss.backward()  # gradient 20, times 65536: more than FP16 holds
optimizer.step()
