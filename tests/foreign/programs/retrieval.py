# SPDX-License-Identifier: MIT
"""Trains a ranking and looks at its average precision."""
import torch
from torchmetrics import RetrievalMAP

torch.manual_seed(0)
model = torch.nn.Linear(16, 1)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for epoch in range(60):
    features, wanted = torch.randn(8000, 16), torch.rand(8000) > 0.5
    queries = torch.arange(8000) // 200
    scores = torch.sigmoid(model(features)).squeeze(1)
    loss = torch.nn.functional.binary_cross_entropy(scores, wanted.float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    precision = RetrievalMAP()
    precision(scores.detach(), wanted, indexes=queries)
print(loss.item())
