# SPDX-License-Identifier: MIT
# first: none
from training import train

train()
