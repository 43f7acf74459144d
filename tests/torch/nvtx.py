# SPDX-License-Identifier: MIT
"""One training step on "cuda" under emit_nvtx(), between two marks."""
import torch

import models
import proof

torch.set_num_threads(1)
step = models.cuda()
step()
proof.mark()
with torch.autograd.profiler.emit_nvtx():
    step()
    torch.cuda.synchronize()
proof.mark()
