# SPDX-License-Identifier: MIT
"""Ten steps of a small training on one CPU thread. The operators that it calls do not depend on the processor's architecture."""
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(50, 16)
        self.first = torch.nn.Linear(16, 32)
        self.norm = torch.nn.LayerNorm(32)
        self.last = torch.nn.Linear(32, 50)

    def forward(self, numbers):
        hidden = torch.relu(self.first(self.words(numbers)))
        return self.last(self.norm(hidden))


torch.set_num_threads(1)
torch.backends.mkldnn.set_flags(False)  # on aarch64 its matrix product makes two tensors more, torch.profiler says so, too
torch.manual_seed(1)
net = Net()
optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
numbers = torch.arange(64) % 50
for step in range(10):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(net(numbers), (numbers * 7 + step) % 50)
    loss.backward()
    optimizer.step()
print("%.3f" % loss.item())
