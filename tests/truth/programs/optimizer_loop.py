# SPDX-License-Identifier: MIT
# An optimizer goes through the parameters one by one.
# first: optimizer
# also: small_operators zero_grad
import torch
from training import step

net = torch.nn.Sequential(*[torch.nn.Linear(16, 16) for _ in range(40)], torch.nn.Linear(16, 8))
optim = torch.optim.AdamW(net.parameters(), foreach=False)
data = torch.randn(4, 16), torch.randint(0, 8, (4,))
for _ in range(12):
    step(net, optim, data)
