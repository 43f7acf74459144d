# SPDX-License-Identifier: MIT
"""usage: categories.py MODEL MOMENT FILE

Trains a model of layers.py with Adam. At MOMENT, `forward` (before the last backward) or `step` (after the last step), it
takes so much memory that this is the peak. FILE: what there was then, by PyTorch's own count, in bytes.
"""
import json
import sys

import torch
from layers import MODELS, loss_of

SPARE = 1 << 27


def bytes_of(tensors):
    return sum(tensor.untyped_storage().nbytes() for tensor in tensors)


def main(models, arguments):
    name, moment, path = arguments
    model, data = models[name]
    optim = torch.optim.Adam(model.parameters(), lr=1e-3)
    parameters = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
    counted = {}
    for step in range(4):
        last = step == 3
        optim.zero_grad()
        saved = {}

        def pack(tensor, saved=saved):
            if tensor.untyped_storage().data_ptr() not in parameters | {data.untyped_storage().data_ptr()}:
                saved[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            loss = loss_of(model, data)
        if last and moment == "forward":
            torch.empty(SPARE, dtype=torch.uint8)
            counted["activations"] = sum(saved.values())
        loss.backward()
        optim.step()
    if moment == "step":
        torch.empty(SPARE, dtype=torch.uint8)
        counted["gradients"] = bytes_of(parameter.grad for parameter in model.parameters())
    counted["parameters"] = bytes_of(model.parameters())
    counted["optimizer state"] = bytes_of(value for state in optim.state.values() for value in state.values())
    with open(path, "w", encoding="utf-8") as file:
        json.dump(counted, file)


if __name__ == "__main__":
    main(MODELS, sys.argv[1:])
