# SPDX-License-Identifier: MIT
# Batches are put together by Python, number by number.
# first: between_operators
# text: The thread was running there
from training import train


def before(number):
    sum(i * i for i in range(600_000))


train(before=before)
