# SPDX-License-Identifier: MIT
# Data comes from numpy in float64, and the model is made to fit.
# first: double_precision
import numpy
import torch
from training import model, train

inputs = torch.from_numpy(numpy.random.default_rng(1).normal(size=(512, 384)))
train(net=model().double(), data=(inputs, torch.randint(0, 8, (512,))))
