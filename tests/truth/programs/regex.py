# SPDX-License-Identifier: MIT
# A regular expression is matched between operators.
# first: between_operators
# text: The thread was running there
import re

from training import train

pattern, text = re.compile(r"(a?){18}a{18}"), "a" * 18


def before(number):
    for _ in range(2):
        pattern.match(text)


train(before=before)
