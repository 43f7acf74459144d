# SPDX-License-Identifier: MIT
# Each step copies its data again and again.
# first: copies
# line: copies.py:12
from training import batch, train
inputs, labels = batch(2048)


def before(number):
    given = inputs
    for _ in range(12):
        given = given.clone().t().contiguous().t().contiguous()
    return given


train(before=before, data=(inputs[:256], labels[:256]))
