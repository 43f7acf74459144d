# SPDX-License-Identifier: MIT
# usage: worker.py: a worker without HTTP. It handles items by a pool of two threads and by coroutines that take turns; some fail.
import asyncio
import concurrent.futures


class Worker:
    def handle(self, number):
        if number % 10 == 9:
            raise ValueError("an item that is wrong")
        return self.deeper(number)

    def deeper(self, number):
        return number * 2


class Other:
    def handle(self, number):
        return number


async def answer(number):
    await asyncio.sleep(0)
    if number % 10 == 9:
        await asyncio.sleep(0)
        raise ValueError("likewise")
    await asyncio.sleep(0)
    return number


def produce(count):
    for number in range(count):
        yield number


async def answer_all():
    return await asyncio.gather(*map(answer, range(30)), return_exceptions=True)


def main():
    worker = Worker()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(worker.handle, number) for number in range(50)]
        failed = sum(future.exception() is not None for future in futures)
    print(failed, Other().handle(1), sum(isinstance(result, ValueError) for result in asyncio.run(answer_all())), sum(produce(3)))


main()
