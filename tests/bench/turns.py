# SPDX-License-Identifier: MIT
"""usage: turns.py BUILD FOLDER ROUNDS COPIES [VARIANT]...
What recording costs the step and the operator of steps.py, with less noise between processes: COPIES processes of each VARIANT start
together, and then work in turn, one at a time, a block of steps each, ROUNDS times. Recordings and turns.json go to FOLDER. Prints
medians, and ratios to `bare`.

cupti:KINDS:CALLS  a client of CUPTI that throws all away: kinds of records by number with + between, and callbacks of the runtime (r)
                   and the driver (d)
trace:LIST         intercept with INTERCEPT_TRACE=LIST
off:LIST           the same, and capture is off
captured:REST      a range of cudaProfilerStart(), and after it so much work and time that CUPTI rests; REST is INTERCEPT_GPU_REST
light:LIST         preset light with INTERCEPT_TRACE=LIST, which changes the preset's: light:-tensors,-cuda,-alloc
set:NAME=VALUE+... intercept with these settings: set:PRESET=light+OPERATORS=1000
The others: bare, profiler (torch.profiler), empty, floors (steps.py), default, light, waits, budget, never (capture is off).
"""
import contextlib
import ctypes
import json
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SETTINGS = {"default": {}, "light": {"INTERCEPT_PRESET": "light"}, "waits": {"INTERCEPT_GPU_WAITS": "records"},
            "budget": {"INTERCEPT_BUDGET": "2%,first=100"}, "never": {"INTERCEPT_CAPTURE": "nvtx:never"}}
ALL = "bare,cupti:10:,cupti:10+1+22+2+8+49+50:rd,empty,floors,profiler,trace:gpu,trace:nvtx,trace:-gpu,default,light,never"
WARM, STEPS, OPERATORS, BURST = 160, 40, 400, 100  # BURST: then the GPU has room for all of them
REST_STEPS, REST_SECONDS = 60, 2.3  # then CUPTI has reported nothing for long enough (preload/gpu/gpu_asked.h)


def settings_of(variant):
    """The settings of intercept; None: it is not loaded."""
    word, _, what = variant.partition(":")
    if word in ("trace", "off"):
        return {"INTERCEPT_TRACE": what, **(SETTINGS["never"] if word == "off" else {})}
    if word == "captured":
        return {"INTERCEPT_CAPTURE": "cuda-profiler-api", "INTERCEPT_GPU_REST": what}
    if word == "set":
        return dict(("INTERCEPT_" + setting).split("=", 1) for setting in what.split("+"))
    return dict(SETTINGS[word], **({"INTERCEPT_TRACE": what} if what else {})) if word in SETTINGS else None


# --- a process ---

def choose_cupti(kinds, calls):
    numbers = [int(kind) for kind in kinds.split("+") if kind]
    result = ctypes.CDLL(os.environ["EMPTY_CUPTI"]).empty_cupti_choose((ctypes.c_int * len(numbers))(*numbers), len(numbers), "r" in calls, "d" in calls)
    if result:
        sys.exit("turns.py: CUPTI refused")


def measure(work, count, bursts, wait):
    wait()
    cpu, start = time.process_time(), time.perf_counter()
    for _ in range(bursts):
        for _ in range(count):
            work()
        wait()
    return [taken / (count * bursts) for taken in (time.perf_counter() - start, time.process_time() - cpu)]


def child(variant):
    import steps  # not before: the driver has no need of PyTorch
    import torch
    device = "cuda" if torch.cuda.is_available() else "cpu"
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    torch.set_num_threads(1)
    step, operator = steps.make_step(device), steps.make_operator(device)
    measure(step, WARM, 1, wait)
    measure(operator, BURST, 1, wait)
    if variant.startswith("cupti:"):
        choose_cupti(*variant.split(":")[1:])
    if variant.startswith("captured:"):
        torch.cuda.profiler.start()
        measure(step, STEPS, 1, wait)
        torch.cuda.profiler.stop()
        for seconds in (REST_SECONDS, 0):
            measure(step, REST_STEPS, 1, wait)
            time.sleep(seconds)
    around = steps.WAYS[variant](device) if variant in ("profiler", "empty", "floors") else contextlib.nullcontext
    print("ready", flush=True)
    for _ in sys.stdin:
        with around():
            measure(step, 3, 1, wait)
            of_step = measure(step, STEPS, 1, wait)
            of_operator = measure(operator, BURST, OPERATORS // BURST, wait)
        print(json.dumps([of_step[0] * 1e3, of_step[1] * 1e3, of_operator[0] * 1e6]), flush=True)


# --- all of them ---

class Process:
    def __init__(self, build, folder, variant, copy):
        self.variant, self.blocks = variant, []
        settings = settings_of(variant)
        environment = dict(os.environ, EMPTY_CALLBACK=os.path.join(build, "bench/libempty_callback.so"),
                           EMPTY_CUPTI=os.path.join(build, "bench/libempty_cupti.so"))
        if settings is not None:
            name = "%s-%d.evt" % (variant.translate(str.maketrans(":,/=", "-__-")), copy)
            environment.update(settings, INTERCEPT_OUTPUT=os.path.join(folder, name), LD_PRELOAD=os.path.join(build, "libintercept.so"))
        self.process = subprocess.Popen([sys.executable, os.path.abspath(__file__), "--child", variant], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, universal_newlines=True, env=environment)

    def is_ready(self):
        return self.process.stdout.readline().strip() == "ready"

    def turn(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        self.blocks.append(json.loads(self.process.stdout.readline()))

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def medians(processes):
    """Of the medians of the processes; and those, of the step."""
    each = [[statistics.median(column) for column in zip(*process.blocks)] for process in processes]
    return [statistics.median(column) for column in zip(*each)], [values[0] for values in each]


def main():
    build, folder, rounds, copies, *variants = sys.argv[1:]
    build, rounds, copies = os.path.abspath(build), int(rounds), int(copies)
    variants = variants or ALL.split(",")
    processes = [Process(build, folder, variant, copy) for copy in range(copies) for variant in variants]
    failed = [process.variant for process in processes if not process.is_ready()]
    if failed:
        sys.exit("turns.py: not started: %s" % ", ".join(failed))
    for turn in range(rounds):
        for process in processes[::-1 if turn % 2 else 1]:
            process.turn()
    for process in processes:
        process.end()
    found = {variant: medians([process for process in processes if process.variant == variant]) for variant in variants}
    bare = found["bare"][0] if "bare" in found else None
    print("%-32s %8s %8s %8s  %s" % ("variant", "step ms", "CPU ms", "add_ us", "over bare; the step of each process, ms"))
    for variant, (values, each) in found.items():
        ratios = " ".join("%.3f" % (value / of) for value, of in zip(values, bare)) if bare else ""
        print("%-32s %8.3f %8.3f %8.3f  %s; %s" % (variant, *values, ratios, " ".join("%.3f" % value for value in each)))
    with open(os.path.join(folder, "turns.json"), "w") as file:
        json.dump([[process.variant, process.blocks] for process in processes], file)


if __name__ == "__main__":
    sys.path.insert(0, HERE)
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2])
    elif len(sys.argv) < 5:
        sys.exit(__doc__)
    else:
        main()
