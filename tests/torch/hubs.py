# SPDX-License-Identifier: MIT
"""usage: hubs.py layers|categories MODEL[,MODEL...] ...

Small models with random weights, for layers.py or categories.py. "{}" in the arguments that follow becomes the model's name.
"""
import sys

import categories
import layers
import torch

torch.manual_seed(1)
TOKENS = torch.randint(0, 100, (2, 16))
SIZES = {"vocab_size": 100, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}


def make(name):  # imports the package of this model alone: that of both takes longer than all the rest
    if name in ("ResNet", "VisionTransformer"):
        from torchvision.models import ResNet, VisionTransformer, resnet
        return ((ResNet(resnet.BasicBlock, [1, 1, 1, 1], num_classes=10), torch.randn(2, 3, 64, 64)) if name == "ResNet" else
                (VisionTransformer(32, 8, 2, 4, 64, 128, num_classes=10), torch.randn(2, 3, 32, 32)))
    import transformers
    more = {"num_key_value_heads": 2} if name.startswith("Llama") else {}
    config = getattr(transformers, name.split("For")[0] + "Config")
    return getattr(transformers, name)(config(**more, **SIZES)), TOKENS


if __name__ == "__main__":
    what, names, *rest = sys.argv[1:]
    for name in names.split(","):
        (layers if what == "layers" else categories).main({name: make(name)}, [name, *(one.replace("{}", name) for one in rest)])
