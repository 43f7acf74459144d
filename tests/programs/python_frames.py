# SPDX-License-Identifier: MIT
# Calls malloc(SIZE) from many kinds of Python code and writes, as JSON lines into argv[1], the stack that sys._getframe()
# has at the very place. tests/cases/python_frames.sh compares that with what was recorded.
import asyncio, contextlib, ctypes, functools, io, json, os, re, sys, threading, zipfile

SIZE = 16 << 20
with_gil, without_gil = ctypes.PyDLL(None), ctypes.CDLL(None)
for library in (with_gil, without_gil):
    library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    library.free.argtypes, library.free.restype = [ctypes.c_void_p], None
lock = threading.Lock()


def expect(frame, line=None):
    frames = []
    while frame:
        frames.append([frame.f_code.co_name, frame.f_code.co_filename, line or frame.f_lineno])
        frame, line = frame.f_back, None
    with lock, open(sys.argv[1], "a") as file:
        file.write(json.dumps(frames) + "\n")


def probe(value=None):
    expect(sys._getframe()), with_gil.free(with_gil.malloc(SIZE))
    expect(sys._getframe()), without_gil.free(without_gil.malloc(SIZE))
    return value


def decorate(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)
    return wrapper


@decorate
@decorate
def decorated():
    return probe()


def comprehensions():
    [probe() for _ in range(1)]
    {probe() for _ in range(1)}
    {k: probe()
     for k in range(1)}
    list(probe() for _ in range(1))


def generators():
    def inner():
        probe()
        yield 1
        probe()
        yield from deeper()

    def deeper():
        yield probe()
    for _ in inner():
        probe()


def asynchronous():
    async def leaf():
        await asyncio.sleep(0)
        probe()

    async def numbers():
        for k in range(2):
            probe()
            yield k

    async def main():
        await leaf()
        await asyncio.gather(leaf(), leaf())
        async for _ in numbers():
            probe()
    asyncio.run(main())


class Things:
    probe()

    def __init__(self):
        probe()

    @property
    def shape(self):
        return probe()

    def __getattr__(self, name):
        return probe()

    def __lt__(self, other):
        return bool(probe()) or id(self) < id(other)

    def __del__(self):
        probe()


def called_back():
    sorted([3, 1], key=lambda v: probe(v))
    sorted([Things(), Things()])
    list(map(probe, [1]))
    functools.reduce(lambda a, b: probe(a + b), [1, 2])
    functools.partial(probe, 1)()
    re.sub("b", lambda match: probe("c"), "abc")
    thing = Things()
    thing.shape, thing.missing
    json.dumps(thing, default=lambda o: probe(1))


def several_lines():
    probe(
        max(
            1,
            probe(2),
        )
    )


@contextlib.contextmanager
def context():
    probe()
    try:
        yield
    finally:
        probe()


def exceptions():
    with context():
        try:
            raise ValueError
        except ValueError:
            probe()
        finally:
            probe()


def texts():
    exec("probe()\n\n\nprobe()")
    eval("probe()")
    exec(compile("def f():\n\n  probe()\nf()", "a file.py", "exec"), {"probe": probe})
    exec(compile("def gr\u00fc\u00df_\u4e2d():\n  probe()\ngr\u00fc\u00df_\u4e2d()", "\u4e2d\u00e9.py", "exec"), {"probe": probe})


# code objects that come to lie where others have been, with names that differ
def reused():
    for k in range(60):
        exec(compile("\n" * k + "def f%d():\n  return probe()\nf%d()" % (k, k), "reused%d.py" % k, "exec"), {"probe": probe})


TURNS = """def turns(times):
    here = sys._getframe()
    for _ in range(times):
        expect(here, here.f_code.co_firstlineno + 5), expect(here, here.f_code.co_firstlineno + 6)
    for _ in range(times):
        with_gil.free(with_gil.malloc(SIZE))
        with_gil.free(with_gil.malloc(SIZE))
def both():
    turns(5)
    turns(7)
both()
"""


def by_turns():
    for k in range(20):
        exec(compile("\n" * k + TURNS, "turns.py", "exec"), dict(globals()))


def zipped():
    with zipfile.ZipFile("packed.zip", "w") as file:
        file.writestr("packed.py", "def call(f):\n    return f()\n")
    sys.path.insert(0, "packed.zip")
    import packed
    packed.call(probe)


def recursive(depth):
    if depth:
        recursive(depth - 1)
    else:
        probe()
    if depth % 50 == 0:
        probe()


def threads():
    started = [threading.Thread(target=probe) for _ in range(4)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()


def traced():
    def trace(frame, event, arg):
        return trace
    sys.settrace(trace)
    probe()
    comprehensions()
    sys.settrace(None)
    probe()
    sys.setprofile(lambda *args: None)
    probe()
    sys.setprofile(None)


def children():
    if not hasattr(os, "fork"):
        return
    pid = os.fork()
    if pid == 0:
        probe()
        os._exit(0)
    os.waitpid(pid, 0)


def main():
    decorated()
    comprehensions()
    generators()
    asynchronous()
    called_back()
    several_lines()
    exceptions()
    texts()
    reused()
    by_turns()
    zipped()
    recursive(300)
    threads()
    traced()
    children()
    for _ in range(3):
        probe(), probe()
        (lambda: probe())()


def greenlets():
    try:
        import greenlet
    except ImportError:
        return

    def other(n):
        probe()
        back.switch()
        recursive(n)
    back = greenlet.getcurrent()
    one, two = greenlet.greenlet(other), greenlet.greenlet(other)
    one.switch(2), two.switch(3), probe(), one.switch(), two.switch()


if __name__ == "__main__":
    main()
    greenlets()
    if len(sys.argv) > 2:
        import multiprocessing
        for kind in ("fork", "spawn", "forkserver"):
            process = multiprocessing.get_context(kind).Process(target=probe)
            process.start()
            process.join()
            assert process.exitcode == 0
