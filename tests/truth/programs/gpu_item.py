# SPDX-License-Identifier: MIT
# Values are read from the GPU behind each layer: each time the host waits until the GPU has nothing left to do.
# gpu: gemm=500000,matmul=500000,*=20000
# first: synchronising
from gpu_training import model, train


def read(module, inputs, output):
    for row in output[:8]:
        row.mean().item()


net = model()
for layer in net:
    layer.register_forward_hook(read)
train(net=net)
