# SPDX-License-Identifier: MIT
"""usage: categories.py MODEL,MOMENT,FILE[,DEVICE]...

Trains a model of layers.py, or Wide, with Adam. At MOMENT, `forward` (before the last backward), `twice` (the same, with a loss
that has gradients in it), `step` (after the last step), `kept` (the same, with gradients that zero_grad() keeps), or `func`
(with those of torch.func), it takes so much memory that this is the peak. FILE: what there was then, by PyTorch's own count,
in bytes: of storages on the CPU, of the allocator's blocks elsewhere. Several runs are forked processes; "RUN PID" is
printed for each.
"""
import copy
import json
import os
import sys
import weakref

import torch
from layers import MODELS, loss_of

SPARE = 1 << 27


def wide():
    """Its parameters are large enough that a GPU's allocator leaves the rest of a free block with some."""
    nn, sizes = torch.nn, (1700, 1700, 1100, 1100, 2048)
    layers = [nn.Sequential(nn.Linear(one, other), nn.ReLU()) for one, other in zip(sizes, sizes[1:])]
    return nn.Sequential(*layers), torch.randn(64, sizes[0])


def sizes_of(device):
    """Bytes of a storage, or of the block that it lies in."""
    if device == "cpu":
        return lambda storage: storage.nbytes()
    blocks = {block["address"]: block["size"] for segment in torch.cuda.memory_snapshot() for block in segment["blocks"]}
    return lambda storage: blocks[storage.data_ptr()]


def bytes_of(tensors, device):
    tensors, size = [tensor for tensor in tensors if tensor.device.type == device], sizes_of(device)
    return sum(size(tensor.untyped_storage()) for tensor in tensors)


class Kept:
    """A tensor as long as a node of the graph keeps it. Detached: an output that is kept as it is keeps its node, and so itself."""

    def __init__(self, tensor):
        self.tensor = tensor.detach()


def grad_by_func(model, data):
    def loss(parameters):
        return torch.func.functional_call(model, parameters, (data,)).pow(2).mean()

    found = torch.func.grad(loss)({name: parameter.detach() for name, parameter in model.named_parameters()})
    for name, parameter in model.named_parameters():
        parameter.grad = found[name]


def run_in_child(work):
    child = os.fork()
    if not child:
        work()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return child if status == 0 else sys.exit("status %d" % status)


def main(models, arguments):
    name, moment, path, *rest = arguments
    device = rest[0] if rest else "cpu"
    torch.backends.cudnn.enabled = False  # the fake has none
    model, data = models[name] if name in models else wide()
    model, data = model.to(device), data.to(device)
    optim = torch.optim.Adam(model.parameters(), lr=1e-3)
    made_before = {tensor.untyped_storage().data_ptr() for tensor in (*model.parameters(), *model.buffers(), data)}
    counted = {}
    for step in range(4):
        last = step == 3
        optim.zero_grad(set_to_none=moment != "kept")
        saved = []

        def pack(tensor, saved=saved):
            kept = Kept(tensor)
            saved.append(weakref.ref(kept))
            return kept

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda kept: kept.tensor):
            loss = None if moment == "func" else loss_of(model, data)
            if moment == "twice":
                loss = loss + sum(part.square().sum() for part in torch.autograd.grad(loss, list(model.parameters()), create_graph=True))
        if last and moment in ("forward", "twice"):
            torch.empty(SPARE, dtype=torch.uint8, device=device)
            storages = {kept.tensor.untyped_storage().data_ptr(): kept.tensor.untyped_storage() for kept in (each() for each in saved) if kept}
            counted["activations"] = sum(map(sizes_of(device), (each for at, each in storages.items() if at not in made_before)))
            del storages
        if moment == "func":
            grad_by_func(model, data)
        else:
            loss.backward()
        optim.step()
    if moment not in ("forward", "twice"):
        torch.empty(SPARE, dtype=torch.uint8, device=device)
        counted["gradients"] = bytes_of((parameter.grad for parameter in model.parameters()), device)
    counted["parameters"] = bytes_of(model.parameters(), device)
    counted["optimizer state"] = bytes_of((value for state in optim.state.values() for value in state.values()), device)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(counted, file)


def run_copies(words):
    main(copy.deepcopy(MODELS), words)  # a child's blocks are those that it makes


if __name__ == "__main__":
    for run in sys.argv[1:]:
        print(run, run_in_child(lambda: run_copies(run.split(","))), flush=True)
