# SPDX-License-Identifier: MIT
"""Calls of Python functions of every kind, and imports: see README."""


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def squares(n):
    for i in range(n):
        yield i * i


def fails(n):
    if n:
        return fails(n - 1)
    raise ValueError("on purpose")


class Number:
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        return self.value < other.value

    @property
    def twice(self):
        return 2 * self.value


def main():
    import colorsys
    import bisect

    for n in range(5, 9):
        fibonacci(n)
    total = sum(squares(100)) + sum(map(lambda n: n + 1, range(50)))
    for _ in range(3):
        try:
            fails(4)
        except ValueError:
            total += 1
    numbers = sorted(Number(i * 7 % 30) for i in range(30))
    total += sum(number.twice for number in numbers)
    try:
        import no_module_of_this_name
    except ImportError:
        pass
    return total, colorsys.rgb_to_hsv(0.1, 0.2, 0.3), bisect.bisect([1, 2, 3], 2)


main()
