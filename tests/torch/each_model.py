# SPDX-License-Identifier: MIT
"""usage: each_model.py layers|categories|own MODEL[,MODEL...] RUN...

Small models of transformers and torchvision with random weights, for layers.py or categories.py; with `own`, the models of layers.py.
A RUN is `train`, or the words that these take behind a model, with commas between and "{}" for the model. Each model does each run in
a forked process, since importing the packages takes longer than all the rest; "MODEL RUN PID" is printed for each.
"""
import sys

import categories
import layers
import torch

torch.manual_seed(1)
TOKENS = torch.randint(0, 100, (2, 16))
SIZES = {"vocab_size": 100, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}


def make(what, name):
    if what == "own":
        return layers.MODELS[name]
    if name in ("ResNet", "VisionTransformer"):
        from torchvision.models import ResNet, VisionTransformer, resnet
        return ((ResNet(resnet.BasicBlock, [1, 1, 1, 1], num_classes=10), torch.randn(2, 3, 64, 64)) if name == "ResNet" else
                (VisionTransformer(32, 8, 2, 4, 64, 128, num_classes=10), torch.randn(2, 3, 32, 32)))
    import transformers
    more = {"num_key_value_heads": 2} if name.startswith("Llama") else {}
    config = getattr(transformers, name.split("For")[0] + "Config")
    return getattr(transformers, name)(config(**more, **SIZES)), TOKENS


if __name__ == "__main__":
    what, names, *runs = sys.argv[1:]
    for name in names.split(","):
        make(what, name)  # for what it imports
    for name in names.split(","):
        for run in runs:
            words = [] if run == "train" else run.replace("{}", name).split(",")
            main = (categories if what == "categories" else layers).main
            print(name, run, categories.run_in_child(lambda: main({name: make(what, name)}, [name, *words])), flush=True)
