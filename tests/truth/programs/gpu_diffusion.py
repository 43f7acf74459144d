# SPDX-License-Identifier: MIT
# A model is run over and over, without steps, and the GPU is busy all the time.
# gpu: gemm=2000000,matmul=2000000,*=50000
# first: none
# also: gpu_bound no_steps
import torch
from gpu_training import model

net = torch.nn.Sequential(*model(width=512)[:-1])


@torch.no_grad()
def sample(steps=20):
    image = torch.randn(8, 512, device="cuda")
    for step in range(steps):
        noise = net(image) + 3 * (net(image) - net(image * 0))
        image = (image - noise * (step / steps)).clamp(-3, 3)
    return image


for _ in range(3):
    sample()
torch.cuda.synchronize()
