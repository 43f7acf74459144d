#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What threads may see of each other's words, in every order that an Arm processor allows.

A protocol is a list of threads, each a list of accesses in program order. The explorer runs all of them in every order
in which each access comes after those that it must follow. Armv8 is multi-copy atomic: an access takes effect for all other
processors at once. So a single memory is enough, and what is relaxed is only the order within a thread:

  the same word             in program order
  acquire                   before everything later
  release                   after everything earlier; before a later acquire
  release or full fence     between everything earlier and everything later
  acquire fence             after earlier reads, before everything later
  a value, or a condition of a write, that was read earlier: after that read
  a condition of a read     orders nothing

Each protocol is also explored in a weaker form, in which the explorer must find the error. Otherwise the model shows nothing.
For each access the text of the source stands beside it: if the source changes, so must the model.
"""
import os
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


class Access:
    def __init__(self, kind, word="", value=None, order="relaxed", into=None, when=(), needs=()):
        self.kind, self.word, self.value, self.order = kind, word, value, order
        self.into, self.when, self.needs = into, tuple(when), tuple(needs)

    def reads(self):
        return self.kind in ("read", "add")

    def writes(self):
        return self.kind in ("write", "add")


def write(word, value, order="relaxed", when=()):
    """`when`: pairs of a register and its value; otherwise nothing is written."""
    return Access("write", word, value, order, when=when)


def read(word, into, order="relaxed", when=()):
    return Access("read", word, None, order, into, when)


def add(word, value, order="relaxed"):
    return Access("add", word, value, order, into="(old %s)" % word)


def fence(order):
    return Access("fence", order=order)


def follows(first, later, between):
    """True if `later` takes effect after `first`, both of one thread."""
    acquires = first.reads() and first.order in ("acquire", "full")
    releases = later.writes() and later.order in ("release", "full")
    if first.word and first.word == later.word:
        return True
    if acquires or releases:
        return True
    if first.writes() and first.order in ("release", "full") and later.reads() and later.order in ("acquire", "full"):
        return True
    if later.writes() and first.into and any(register == first.into for register, _ in later.when):
        return True
    for barrier in between:
        if barrier.order in ("release", "full") or first.reads():
            return True
    return False


def order_of(thread):
    """For each access, a set of those that come before it. Fences are dissolved into it."""
    before = []
    for j, later in enumerate(thread):
        before.append({i for i, first in enumerate(thread[:j]) if first.kind != "fence" and later.kind != "fence" and
                       follows(first, later, [a for a in thread[i + 1:j] if a.kind == "fence"])})
    return before


def explore(threads, memory, holds):
    """Returns (number of outcomes, one outcome that does not hold or None)."""
    before = [order_of(thread) for thread in threads]
    todo = [(tuple(frozenset(i for i, a in enumerate(t) if a.kind == "fence") for t in threads),
             tuple(sorted(memory.items())), ())]
    seen, outcomes = set(todo), set()
    while todo:
        state = todo.pop()
        done, words, registers = state
        if all(len(d) == len(t) for d, t in zip(done, threads)):
            outcomes.add((words, registers))
            continue
        for t, thread in enumerate(threads):
            for i, access in enumerate(thread):
                if i in done[t] or not before[t][i] <= done[t]:
                    continue
                memory_now, have = dict(words), dict(registers)
                old = memory_now[access.word]
                if access.reads():
                    have[access.into] = old
                if access.writes() and all(have.get(r) == v for r, v in access.when):
                    memory_now[access.word] = old + access.value if access.kind == "add" else access.value
                now = (done[:t] + (done[t] | {i},) + done[t + 1:], tuple(sorted(memory_now.items())),
                       tuple(sorted(have.items())))
                if now not in seen:
                    seen.add(now)
                    todo.append(now)
    for words, registers in sorted(outcomes):
        if not holds(dict(words), dict(registers)):
            return len(outcomes), (dict(words), dict(registers))
    return len(outcomes), None


# name, sources, threads by whether the form is the weaker one, memory at the start, what must hold
def protocols():
    yield ("a record is complete when its ring's head is seen",
           [("preload/record/recorder.h", "atomic_store_explicit(&lane->ring->head, lane->head, memory_order_release)"),
            ("collector/drain/streams.h", "memory_order_acquire")],
           lambda weak: [[write("record", 1), write("head", 1, "relaxed" if weak else "release")],
                         [read("head", "head", "acquire"), read("record", "record", when=[("head", 1)])]],
           {"record": 0, "head": 0},
           lambda m, r: r["head"] == 0 or r["record"] == 1)
    yield ("the collector does not act on a head before it has seen it",
           [("collector/drain/streams.h", "atomic_load_explicit(&((struct region_ring *)ring)->head,")],
           lambda weak: [[write("record", 1), write("head", 1, "release")],
                         [read("head", "head", "relaxed" if weak else "acquire"), read("record", "record", when=[("head", 1)])]],
           {"record": 0, "head": 0},
           lambda m, r: r["head"] == 0 or r["record"] == 1)
    yield ("a record is not overwritten before it has been read",
           [("collector/drain/streams.c", "atomic_store_explicit(&ring->tail, stream->tail, memory_order_release)"),
            ("preload/record/recorder.c", "atomic_load_explicit(&lane->ring->tail, memory_order_acquire)")],
           lambda weak: [[read("record", "record"), write("tail", 1, "relaxed" if weak else "release")],
                         [read("tail", "tail", "acquire"), write("record", 2, when=[("tail", 1)])]],
           {"record": 1, "tail": 0},
           lambda m, r: r["record"] == 1)
    yield ("a thread that waits for room is woken, or sees the room",
           [("collector/drain/streams.c", "atomic_load_explicit(&ring->waiters, memory_order_seq_cst)"),
            ("collector/drain/streams.c", "atomic_fetch_add_explicit(&ring->progress, 1, memory_order_seq_cst)"),
            ("preload/record/recorder.c", "atomic_store(&ring->waiters, 1)"),
            ("preload/record/recorder.c", "return lane->head - atomic_load(&lane->ring->tail)")],
           lambda weak: [[write("waiters", 1, "full"), read("tail", "tail", "relaxed" if weak else "full")],
                         [write("tail", 1, "release"), add("progress", 1, "full"), read("waiters", "waiters", "full")]],
           {"waiters": 0, "tail": 0, "progress": 0},
           lambda m, r: r["tail"] == 1 or r["waiters"] == 1)
    yield ("a ring is filled in when it is seen as live",
           [("preload/record/recorder.c", "atomic_store_explicit(&ring->state, REGION_RING_LIVE, memory_order_release)"),
            ("collector/drain/streams.c", "atomic_load_explicit(&ring->state, memory_order_acquire)")],
           lambda weak: [[write("process", 1), write("state", 1, "relaxed" if weak else "release")],
                         [read("state", "state", "acquire"), read("process", "process", when=[("state", 1)])]],
           {"process": 0, "state": 0},
           lambda m, r: r["state"] == 0 or r["process"] == 1)
    for name, file, reader in (("call", "preload/record/open_call.h", "collector/drain/open_calls.c"),
                               ("wait", "preload/osrt/wait.c", "collector/drain/thread_waits.c")):
        yield ("a %s that the thread is in is not mixed of two" % name,
               [(file, "atomic_thread_fence(memory_order_release)"), (file, "memory_order_release);\n}"),
                (reader, "atomic_thread_fence(memory_order_acquire)")],
               lambda weak: [[write("start", 0)] + ([] if weak else [fence("release")]) +
                             [write("field", 2), write("start", 2, "release")],
                             [read("start", "first"), fence("acquire"), read("field", "field"), fence("acquire"),
                              read("start", "last")]],
               {"start": 1, "field": 1},
               lambda m, r: r["first"] != r["last"] or r["first"] in (0, r["field"]))
    yield ("a request for a capture is not mixed of two",
           [("collector/captures/captures.c", "atomic_thread_fence(memory_order_release)"),
            ("preload/record/capture_asked.c", "atomic_thread_fence(memory_order_acquire)")],
           lambda weak: [[write("word", 2, "release")] + ([] if weak else [fence("release")]) +
                         [write("steps", 3), write("word", 3, "release")],
                         [read("word", "first", "acquire"), read("steps", "steps"), fence("acquire"),
                          read("word", "last")]],
           {"word": 1, "steps": 1},
           lambda m, r: r["first"] != r["last"] or r["first"] in (2, r["steps"]))
    yield ("a gate that a look has shut opens again when another thread has followed meanwhile",
           [("preload/record/recorder.c", "atomic_thread_fence(memory_order_seq_cst)"),
            ("preload/record/recorder.c", "__atomic_store_n(&recorder_gates->gate[i], open ? recorder_generation : 0,\n\t\t\t\t __ATOMIC_RELEASE)")],
           lambda weak: [[write("gate", 0, "release"), fence("full"), read("followed", "followed")],
                         [write("followed", 1), write("gate", 2, "relaxed" if weak else "release")]],
           {"gate": 1, "followed": 0},
           lambda m, r: m["gate"] != 0 or r["followed"] == 1)
    yield ("steps that are counted have their length",
           [("preload/record/capture_asked.c", "atomic_store_explicit(&self->steps, count + 1, memory_order_release)"),
            ("collector/captures/steps_seen.c", "__ATOMIC_ACQUIRE")],
           lambda weak: [[write("length", 1), write("steps", 1, "relaxed" if weak else "release")],
                         [read("steps", "steps", "acquire"), read("length", "length", when=[("steps", 1)])]],
           {"length": 0, "steps": 0},
           lambda m, r: r["steps"] == 0 or r["length"] == 1)


def main():
    failed = count = 0
    for name, sources, threads, memory, holds in protocols():
        count += 1
        for file, text in sources:
            with open(os.path.join(ROOT, file)) as source:
                if text not in source.read():
                    print("%s: the source no longer has %r: %s" % (name, text, file))
                    failed += 1
        outcomes, error = explore(threads(False), memory, holds)
        if error:
            print("%s: not so: memory %s, seen %s" % ((name,) + error))
            failed += 1
        if explore(threads(True), memory, holds)[1] is None:
            print("%s: the weaker form is not found wrong" % name)
            failed += 1
        if "-v" in sys.argv:
            print("%s: %d outcomes" % (name, outcomes))
    print("%d protocols, %d errors" % (count, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
