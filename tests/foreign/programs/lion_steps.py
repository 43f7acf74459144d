# SPDX-License-Identifier: MIT
"""Trains a deep and narrow network with Lion."""
import torch
from lion_pytorch import Lion

torch.manual_seed(0)
model = torch.nn.Sequential(*(torch.nn.Linear(16, 16) for _ in range(120)))
optimizer = Lion(model.parameters(), lr=1e-4)
for step in range(60):
    loss = model(torch.randn(32, 16)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
