# SPDX-License-Identifier: MIT
"""usage: drawn_means.py BUILD [STEPS] [N] [MODEL...]: are means of operators under INTERCEPT_BUDGET those of a full recording?

Trains ten small models with random weights (torchvision, transformers; their names are below), each in three processes that take
turns step by step: two with every operator recorded, one with INTERCEPT_BUDGET=1/N,first=20 (8), whose callbacks are removed and
come back. So a machine that gets slower meanwhile is the same for all. Compares the mean duration of each operator in STEPS (400)
steps behind the first 20, with those of the first process. A call that took more than ten times the median of its operator was
pushed off its CPU, and is left out. What the two full processes differ by is no bias: each has its own pages and places of code.
Then one training with that budget in which every hundredth step waits for 30 ms: how many of them are among as many longest steps.
Run it with an interpreter that has PyTorch, torchvision and transformers.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile

FIRST = 20
PROGRAM = """
import os, sys, time, torch
torch.manual_seed(0)
torch.set_num_threads(1)
kind, steps, slow, mine, other = sys.argv[1], *map(int, sys.argv[2:])
nn = torch.nn


def vision(name, size=32, **options):
    import torchvision
    net = torchvision.models.get_model(name, weights=None, num_classes=10, **options)
    return lambda: net(torch.zeros(2, 3, size, size)), net.train()


def language(name, **options):
    import transformers
    config = getattr(transformers, name + "Config")(vocab_size=64, **options)
    net = transformers.AutoModel.from_config(config)
    return lambda: net(torch.zeros(2, 8, dtype=torch.long)).last_hidden_state, net.train()


def plain(net, *shape):
    given = torch.randn(*shape)
    return lambda: net(given), net


small = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64)
run, net = {
    "linear": lambda: plain(nn.Sequential(*(nn.Linear(64, 64) for _ in range(6))), 32, 64),
    "convolution": lambda: plain(nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3), nn.BatchNorm2d(8)), 4, 3, 16, 16),
    "attention": lambda: plain(nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0), 8, 4, 32),
    "resnet18": lambda: vision("resnet18"),
    "mobilenet_v3_small": lambda: vision("mobilenet_v3_small"),
    "squeezenet1_1": lambda: vision("squeezenet1_1"),
    "shufflenet_v2_x0_5": lambda: vision("shufflenet_v2_x0_5"),
    "bert": lambda: language("Bert", **small),
    "gpt2": lambda: language("GPT2", n_embd=32, n_layer=2, n_head=2),
    "llama": lambda: language("Llama", **small),
}[kind]()
optimizer = torch.optim.SGD(net.parameters(), lr=1e-6)
for step in range(steps):
    if mine >= 0:
        os.read(mine, 1)
    optimizer.zero_grad()
    if slow and step % slow == slow - 1:
        time.sleep(0.03)
    run().square().mean().backward()
    optimizer.step()
    if mine >= 0:
        os.write(other, b"x")
"""
MODELS = ("linear", "convolution", "attention", "resnet18", "mobilenet_v3_small", "squeezenet1_1", "shufflenet_v2_x0_5", "bert",
          "gpt2", "llama")


def start(build, recording, kind, steps, slow=0, ends=(-1, -1), **settings):
    environment = dict(os.environ, LD_PRELOAD=os.path.join(build, "libintercept.so"), INTERCEPT_OUTPUT=recording,
                       INTERCEPT_TRACE="torch", **settings)
    return subprocess.Popen([sys.executable, "-c", PROGRAM, kind, str(steps), str(slow), *map(str, ends)], env=environment,
                            pass_fds=[end for end in ends if end >= 0])


def record_three(build, folder, kind, steps, one_in):
    """The recordings: full, full, drawn."""
    drawn = "1/%d,first=%d" % (one_in, FIRST)
    turns = [os.pipe() for _ in range(3)]
    recordings = [os.path.join(folder, "%d.evt" % number) for number in range(3)]
    running = [start(build, recordings[number], kind, steps, 0, (turns[number][0], turns[(number + 1) % 3][1]), INTERCEPT_BUDGET=budget)
               for number, budget in enumerate(("off", "off", drawn))]
    os.write(turns[0][1], b"x")
    if any([process.wait() for process in running]):
        sys.exit("drawn_means: %s failed" % kind)
    for end in sum(turns, ()):
        os.close(end)
    return recordings


def by_step(build, recording):
    """-> {operator: {step: [durations]}}, of operators that begin and end on their thread in one step"""
    open_of, step, found = {}, -1, {}
    dump = subprocess.Popen([os.path.join(build, "prof-report"), "dump", recording], stdout=subprocess.PIPE, text=True)
    for line in dump.stdout:
        words = line.split(None, 4)
        if words[2] == "step":
            step = int(line.split("number=")[1].split()[0])
        elif words[2].startswith("torch_begin"):
            open_of.setdefault(words[1], []).append((line.split('name="')[1].split('"')[0], int(words[0]), step))
        elif words[2] in ("torch_end", "torch_end_id") and open_of.get(words[1]):
            name, begin, began_in = open_of[words[1]].pop()
            if began_in == step >= FIRST and "Optimizer" not in name:
                found.setdefault(name, {}).setdefault(step, []).append(int(words[0]) - begin)
    return found


def mean(durations, most):
    kept = [each for each in durations if each <= most]
    return sum(kept) / len(kept) if kept else 0


def differences(one, other, median):
    """[(share of all time, relative difference of the means)] of operators that both have"""
    found = []
    for name in sorted(set(one) & set(other)):
        means = [mean(durations, 10 * median[name]) for durations in (one[name], other[name])]
        if min(len(one[name]), len(other[name])) >= 20 and all(means):
            found.append((means[0] * len(one[name]), means[1] / means[0] - 1))
    total = sum(part for part, _ in found)
    return [(part / total, away) for part, away in found]


def told(found):
    """Half of the operators are nearer than this, how many within 2 %, and the mean over all by their time."""
    return "%5.1f %% %3d of %3d %+6.1f %%" % (100 * statistics.median(abs(away) for _, away in found),
                                              sum(abs(away) <= 0.02 for _, away in found), len(found),
                                              100 * sum(part * away for part, away in found))


def compare(build, recordings):
    full, again, drawn = ({name: [each for ns in at.values() for each in ns] for name, at in by_step(build, recording).items()}
                          for recording in recordings)
    median = {name: statistics.median(durations) for name, durations in full.items()}
    return differences(full, drawn, median), differences(full, again, median)


def find_slow(build, recording, steps):
    report = subprocess.run([os.path.join(build, "prof-report"), "steps", "--format", "json", "--limit", "0", recording],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    report = json.loads(report.stdout)
    planted = {step for step in range(steps) if step % 100 == 99}
    longest = sorted(report["rows"][1:], key=lambda row: -row["total_ns"])[:len(planted)]
    listed = [row for row in report["rows"] if row["step"] in planted and row["total_ns"] >= 30e6]
    hits = {row["step"] for row in longest} & planted
    print("slow steps: %d of %d planted are listed with their 30 ms, %d of them among the %d longest of %d steps; "
          "%d steps have detail; the median takes %.2f ms" % (
              len(listed), len(planted), len(hits), len(planted), steps, report["totals"].get("detailed", steps),
              report["totals"]["p50_ns"] / 1e6))


def main(build, steps="400", one_in="8", *models):
    build, steps, one_in = os.path.abspath(build), int(steps) + FIRST, int(one_in)
    print("%-20s %30s %30s" % ("", "drawn against full", "full against full"))
    print("%-20s" % "model" + 2 * " |diff|  within 2 %    by time")
    with tempfile.TemporaryDirectory() as folder:
        for kind in models or MODELS:
            recordings = record_three(build, folder, kind, steps, one_in)
            drawn, again = compare(build, recordings)
            print("%-20s %s %s" % (kind, told(drawn), told(again)), flush=True)
            for recording in recordings:
                os.remove(recording)
        recording = os.path.join(folder, "slow.evt")
        start(build, recording, "linear", 1000, 100, INTERCEPT_BUDGET="1/%d,first=0" % one_in).wait()
        find_slow(build, recording, 1000)


if __name__ == "__main__":
    main(*sys.argv[1:])
