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
  an atomic change          is a read and a write, without a write of others between them. Its acquire belongs to the read and
                            its release to the write, so a later write may come before its write

Each protocol is also explored in a weaker form, in which the explorer must find the error. Otherwise the model shows nothing.
For each access the text of the source stands beside it: if the source changes, so must the model. A file of preload/ or
collector/ that asks for an order is named by a protocol here, or by ALIKE, which says which protocol it follows. A word that is
changed with an order in one place and read without one in another is in a protocol, or in RELAXED with the reason.
"""
import glob
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


class Access:
    def __init__(self, kind, word="", value=None, order="relaxed", into=None, when=()):
        self.kind, self.word, self.value, self.order = kind, word, value, order
        self.into, self.when = into, tuple(when)

    def reads(self):
        return self.kind in ("read", "take")

    def writes(self):
        return self.kind in ("write", "put")


def write(word, value, order="relaxed", when=()):
    """`when`: pairs of a register and its value; otherwise nothing is written."""
    return Access("write", word, value, order, when=when)


def read(word, into, order="relaxed", when=()):
    return Access("read", word, None, order, into, when)


def add(word, value, order="relaxed", into=None):
    """An atomic change, in two parts; also an exchange, or a compare and exchange. `into` is what was there before."""
    into = into or "(old %s)" % word
    read_order = order if order in ("acquire", "full") else "relaxed"
    write_order = order if order in ("release", "full") else "relaxed"
    return (Access("take", word, None, read_order, into), Access("put", word, value, write_order, into))


def flat(thread):
    return [access for item in thread for access in (item if isinstance(item, tuple) else (item,))]


def fence(order):
    return Access("fence", order=order)


def follows(first, later, between):
    """True if `later` takes effect after `first`, both of one thread."""
    acquires = first.reads() and first.order in ("acquire", "full")
    releases = later.writes() and later.order in ("release", "full")
    if first.word and first.word == later.word:
        return True
    if later.kind == "put" and first.into == later.into:
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


def is_taken(threads, done, own, word):
    """True while another thread is between the two parts of an atomic change of the word."""
    return any(access.kind == "take" and access.word == word and i in done[t] and i + 1 not in done[t]
               for t, thread in enumerate(threads) if t != own for i, access in enumerate(thread))


def explore(threads, memory, holds):
    """Returns (number of outcomes, one outcome that does not hold or None)."""
    threads = [flat(thread) for thread in threads]
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
                if (access.writes() or access.kind == "take") and is_taken(threads, done, t, access.word):
                    continue
                memory_now, have = dict(words), dict(registers)
                if access.reads():
                    have[access.into] = memory_now[access.word]
                if access.kind == "put":
                    memory_now[access.word] = have[access.into] + access.value
                elif access.writes() and all(have.get(r) == v for r, v in access.when):
                    memory_now[access.word] = access.value
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
            ("preload/record/room.c", "atomic_load_explicit(&lane->ring->tail, memory_order_acquire)"),
            ("preload/requests/exchange.c", "atomic_store_explicit(&exchange->ended, number + 1, memory_order_release)"),
            ("preload/requests/exchange.c", "if (number - atomic_load_explicit(&exchange->ended, memory_order_acquire) ==")],
           lambda weak: [[read("record", "record"), write("tail", 1, "relaxed" if weak else "release")],
                         [read("tail", "tail", "acquire"), write("record", 2, when=[("tail", 1)])]],
           {"record": 1, "tail": 0},
           lambda m, r: r["record"] == 1)
    yield ("a thread that waits for room is woken, or sees the room",
           [("collector/drain/streams.c", "atomic_load_explicit(&ring->waiters, memory_order_seq_cst)"),
            ("collector/drain/streams.c", "atomic_fetch_add_explicit(&ring->progress, 1, memory_order_seq_cst)"),
            ("preload/record/room.c", "atomic_store(&ring->waiters, 1)"),
            ("preload/record/room.c", "return lane->head - atomic_load(&lane->ring->tail)")],
           lambda weak: [[write("waiters", 1, "full"), read("tail", "tail", "relaxed" if weak else "full")],
                         [write("tail", 1, "release"), add("progress", 1, "full"), read("waiters", "waiters", "full")]],
           {"waiters": 0, "tail": 0, "progress": 0},
           lambda m, r: r["tail"] == 1 or r["waiters"] == 1)
    yield ("a ring is filled in when it is seen as live",
           [("preload/record/rings.c", "atomic_store_explicit(&ring->state, REGION_RING_LIVE, memory_order_release)"),
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
    yield ("a call that CUPTI left has no number of the CUPTI that came back",
           [("preload/gpu/gpu_windows.c", "__atomic_store_n(&correlation_off_ticks"),
            ("preload/gpu/gpu_callback.c", "atomic_fetch_add(&gpu_number_base"),
            ("preload/gpu/gpu_callback.c", "atomic_thread_fence(memory_order_acquire)")],
           lambda weak: [[write("off", 1), write("base", 1, "relaxed" if weak else "release")],
                         [read("base", "base"), fence("acquire"), read("off", "off")]],
           {"off": 0, "base": 0},
           lambda m, r: r["base"] == 0 or r["off"] == 1)
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
            ("preload/record/recorder.c", "__atomic_store_n(&recorder_gates->gate[i], open ? recorder_state.generation : 0,\n\t\t\t\t __ATOMIC_RELEASE)")],
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
    yield ("a process is filled in when it is seen as live",
           [("preload/record/entry.c", "atomic_store_explicit(&p->state, REGION_PROCESS_LIVE, memory_order_release)"),
            ("collector/processes/processes.c", "atomic_load_explicit(&shared->state, memory_order_acquire)")],
           lambda weak: [[write("pid", 1), write("state", 1, "relaxed" if weak else "release")],
                         [read("state", "state", "acquire"), read("pid", "pid", when=[("state", 1)])]],
           {"pid": 0, "state": 0},
           lambda m, r: r["state"] == 0 or r["pid"] == 1)
    for name, resets, takes in (
            ("ring", ("collector/drain/streams.c", "atomic_store_explicit(&ring->state, REGION_RING_FREE, memory_order_release)"),
             ("preload/record/rings.c", "atomic_compare_exchange_strong(&ring->state, &expected, REGION_RING_FILLING)")),
            ("process", ("collector/processes/processes.c",
                         "atomic_store_explicit(&shared->state, REGION_PROCESS_FREE, memory_order_release)"),
             ("preload/record/entry.c", "atomic_compare_exchange_strong(&table[i].state, &expected,"))):
        yield ("what the collector clears of a %s does not come after what its next owner writes" % name,
               [resets, takes],
               lambda weak: [[write("field", 0), write("state", 1, "relaxed" if weak else "release")],
                             [add("state", 1, "full", "state"), write("field", 2, when=[("state", 1)])]],
               {"field": 1, "state": 0},
               lambda m, r: r["state"] == 0 or m["field"] == 2)
    for name, writer, reader in (
            ("where Python is", ("preload/python/sampling.c",
                                 "atomic_store_explicit(&own->python, told.word, memory_order_release)"),
             ("collector/samples/samples.c", "view_acquire64(&shared->python)")),
            ("the subject of a limitation", ("preload/record/entry.c", "atomic_fetch_or(&p->limitations, 1ull << what)"),
             ("collector/processes/limitations.c", "view_acquire64(&shared->limitations)")),
            ("when a capture began", ("preload/record/capture_asked.c", "atomic_store(&self->capture_open, on ? number : 0)"),
             ("collector/captures/captures.c", "view_acquire32(&shared->capture_open)")),
            ("when a capture ended", ("preload/record/capture_asked.c", "atomic_store(&self->capture_done, number)"),
             ("collector/captures/captures.c", "view_acquire32(&shared->capture_done)"))):
        yield ("%s is known when it is announced" % name, [writer, reader],
               lambda weak: [[write("field", 1), write("word", 1, "release")],
                             [read("word", "word", "relaxed" if weak else "acquire"),
                              read("field", "field", when=[("word", 1)])]],
               {"field": 0, "word": 0},
               lambda m, r: r["word"] == 0 or r["field"] == 1)
    yield ("what is mapped at the start is whole when its length is seen",
           [("preload/life/start_map.c", "atomic_store_explicit(&start->bytes, (uint32_t)sheet.at, memory_order_release)"),
            ("collector/processes/start_map.c", "atomic_load_explicit(&start->bytes, memory_order_acquire)")],
           lambda weak: [[write("sheet", 1), write("bytes", 1, "relaxed" if weak else "release")],
                         [read("bytes", "bytes", "acquire"), read("sheet", "sheet", when=[("bytes", 1)])]],
           {"sheet": 0, "bytes": 0},
           lambda m, r: r["bytes"] == 0 or r["sheet"] == 1)
    yield ("the collector does not sleep over a process that has ended",
           [("preload/life/process.c", "atomic_compare_exchange_strong(&self->state, &live, REGION_PROCESS_EXITING)"),
            ("preload/record/recorder.c", "atomic_fetch_add_explicit(&h->doorbell, 1, memory_order_release)"),
            ("collector/turn/collector.c", "c->bell = atomic_load(&header->doorbell)"),
            ("collector/turn/collector.c", "atomic_load(&header->doorbell) == c->bell")],
           lambda weak: [[write("state", 1, "full"), add("doorbell", 1, "release")],
                         [read("doorbell", "bell", "relaxed" if weak else "full"), read("state", "state", "acquire"),
                          read("doorbell", "again", "full")]],
           {"state": 0, "doorbell": 0},
           lambda m, r: not (r["bell"] == r["again"] == 1 and r["state"] == 0))
    for name, file, text in (
            ("a window of time", "preload/steps/detail.c", "atomic_store(&detail_is_busy, false);\n\t\tatomic_thread_fence("),
            ("a capture", "preload/record/capture.c", "atomic_store(&gates_busy, false);\n\t\t/* ")):
        yield ("a thread that finds another at work on a request for %s may leave it to that one" % name,
               [(file, text), (file, "atomic_thread_fence(memory_order_seq_cst);\n\t} while"),
                ("preload/steps/detail.c", "atomic_load_explicit(&own->detail_asked, memory_order_acquire)"),
                ("collector/drain/time_windows.c", "++window->asked, memory_order_release"),
                ("preload/record/recorder.h", "atomic_load_explicit(recorder_gates->asked, memory_order_relaxed)")],
               lambda weak: [[write("busy", 0, "full")] + ([] if weak else [fence("full")]) + [read("asked", "first")],
                             [read("asked", "second", "acquire"), add("busy", 1, "full", "busy")],
                             [write("asked", 2, "release")]],
               {"busy": 1, "asked": 1},
               lambda m, r: not (r["first"] == 1 and r["second"] == 2 and r["busy"] == 1))
    yield ("an answer is whole when its number is seen, and news of a capture are of one capture",
           [("collector/captures/door.c", "atomic_store_explicit(&control->phase, CONTROL_IDLE, memory_order_relaxed);\n"
             "\tatomic_thread_fence(memory_order_release)"),
            ("collector/captures/door.c", "atomic_store_explicit(&control->phase, news->phase, memory_order_release)"),
            ("report/ask/collectors.c", "copy[0].phase == copy[2].phase ? copy[0].phase : CONTROL_IDLE")],
           lambda weak: [[write("phase", 0)] + ([] if weak else [fence("release")]) +
                         [write("newest", 2), write("phase", 3, "release")],
                         [read("phase", "first"), fence("acquire"), read("newest", "newest"), fence("acquire"),
                          read("phase", "last")]],
           {"phase": 4, "newest": 1},
           lambda m, r: r["first"] != r["last"] or r["first"] == 0 or
           (r["first"], r["newest"]) in ((4, 1), (3, 2)))
    yield ("a request is whole when its number is seen",
           [("collector/captures/door.c", "atomic_load_explicit(&door->control->asked, memory_order_acquire)"),
            ("report/ask/collectors.c", "pwrite(collector->fd, text, sizeof(text), offsetof(struct control, request))")],
           lambda weak: [[write("request", 1), write("asked", 1, "release")],
                         [read("asked", "asked", "relaxed" if weak else "acquire"),
                          read("request", "request", when=[("asked", 1)])]],
           {"request": 0, "asked": 0},
           lambda m, r: r["asked"] == 0 or r["request"] == 1)
    yield ("a frame of a stack that another thread has sent can be found by the collector",
           [("preload/stacks/frame_names.c", "__atomic_store_n(&at->id, mark, __ATOMIC_RELEASE)"),
            ("preload/stacks/frame_names.h", "__atomic_load_n(&e->id, __ATOMIC_ACQUIRE)"),
            ("preload/record/recorder.h", "atomic_store_explicit(&lane->ring->head, lane->head, memory_order_release)"),
            ("collector/drain/streams.h", "memory_order_acquire")],
           lambda weak: [[write("head 1", 1, "release"), write("id", 1, "relaxed" if weak else "release")],
                         [read("id", "id", "acquire"), write("head 2", 1, "release", when=[("id", 1)])],
                         [read("head 2", "head 2", "acquire"), read("head 1", "head 1", "acquire")]],
           {"head 1": 0, "id": 0, "head 2": 0},
           lambda m, r: r["head 2"] == 0 or r["head 1"] == 1)
    yield ("a frame is not taken for another one because its entry is being replaced",
           [("preload/stacks/frame_names.c", "__atomic_store_n(&at->id, 0, __ATOMIC_RELAXED);\n"
             "\t__atomic_store_n(&at->path, path, __ATOMIC_RELEASE)"),
            ("preload/stacks/frame_names.c", "seen = __atomic_load_n(&e->path, __ATOMIC_ACQUIRE)"),
            ("preload/stacks/frame_names.c", "__atomic_load_n(&e->id, __ATOMIC_RELAXED) != mark")],
           lambda weak: [[write("id", 0), write("path", 2, "relaxed" if weak else "release"), write("id", 2, "release")],
                         [read("id", "first", "acquire"), read("path", "path", "acquire"), read("id", "last")]],
           {"id": 1, "path": 1},
           lambda m, r: not (r["first"] == r["last"] == 1 and r["path"] == 2))
    yield ("a rule out of tables that are unloaded is not kept as a current one",
           [("preload/stacks/rules.c", "atomic_fetch_add(&unloading, 1);\n\tepoch_next()"),
            ("preload/stacks/rules.c", "epoch_next();\n\tatomic_fetch_sub(&unloading, 1)"),
            ("preload/stacks/rules.c", "__atomic_add_fetch(&rules.epoch, one, __ATOMIC_SEQ_CST)"),
            ("preload/stacks/rules.h", "__atomic_load_n(&rules.epoch, __ATOMIC_ACQUIRE)"),
            ("preload/stacks/rules.c", "*ret_stays = rules.entry && !atomic_load(&unloading)")],
           lambda weak: [[add("unloading", 1, "full"), add("epoch", 1, "full"), write("tables", 2), add("epoch", 1, "full"),
                          add("unloading", -1, "full")],
                         [read("epoch", "epoch", "relaxed" if weak else "acquire"), read("unloading", "unloading", "full"),
                          read("tables", "tables", when=[("unloading", 0)])]],
           {"unloading": 0, "epoch": 0, "tables": 1},
           lambda m, r: not (r["epoch"] == 2 and r["unloading"] == 0 and r["tables"] == 1))
    yield ("a hot rule of an epoch that is over is removed by the one who stored it",
           [("preload/stacks/rules.c", "__atomic_store_n(at, entry, __ATOMIC_SEQ_CST)"),
            ("preload/stacks/rules.c", "__atomic_load_n(&rules.epoch, __ATOMIC_SEQ_CST) != epoch"),
            ("preload/stacks/rules.c", "__atomic_thread_fence(__ATOMIC_SEQ_CST);\n"
             "\tif ((next >> RULES_EPOCH_SHIFT) % RULES_HOT_EPOCHS == 0)\n\t\thot_begins_anew()")],
           lambda weak: [[write("entry", 1, "full"), read("epoch", "epoch", "full")],
                         [add("epoch", 1, "full")] + ([] if weak else [fence("full")]) + [write("entry", 0)]],
           {"entry": 0, "epoch": 0},
           lambda m, r: r["epoch"] == 1 or m["entry"] == 0)
    yield ("what a map of pointers finds is whole",
           [("preload/base/pointer_map.c", "atomic_store_explicit(&e->value, value, memory_order_release)"),
            ("preload/base/pointer_map.c", "atomic_load_explicit(&entry->value, memory_order_acquire)"),
            ("preload/requests/exchange.c", "atomic_store_explicit(&exchange->begun, number + 1, memory_order_release)"),
            ("preload/requests/exchange.c", "return atomic_load_explicit(&exchange->begun, memory_order_acquire) !="),
            ("preload/gpu/gpu_form.c",
             "atomic_store(&subscriber, made);\n\t/* last: whoever finds it true passes the subscriber on */\n"
             "\tatomic_store_explicit(&gpu_form_second, second == CUPTI_OK, memory_order_release)"),
            ("preload/gpu/gpu_form.h", "return atomic_load_explicit(&gpu_form_second, memory_order_acquire)")],
           lambda weak: [[write("name", 1), write("value", 1, "relaxed" if weak else "release")],
                         [read("value", "value", "acquire"), read("name", "name", when=[("value", 1)])]],
           {"name": 0, "value": 0},
           lambda m, r: r["value"] == 0 or r["name"] == 1)
    yield ("what a thread does with a side of a connection is not mixed with another's work",
           [("preload/requests/exchange.c", "atomic_exchange_explicit(&exchange->is_busy[side], true, memory_order_acquire)"),
            ("preload/requests/exchange.c", "atomic_store_explicit(&exchange->is_busy[side], false, memory_order_release)")],
           lambda weak: [[add("busy", 1, "acquire", "one"), write("field", 1, when=[("one", 0)]),
                          write("field", 2, when=[("one", 0)]),
                          write("busy", 0, "relaxed" if weak else "release", when=[("one", 0)])],
                         [add("busy", 1, "acquire", "two"), read("field", "field", when=[("two", 0)])]],
           {"busy": 0, "field": 0},
           lambda m, r: r["two"] != 0 or r["field"] != 1)
    yield ("records of the kernel are not overwritten before they have been read",
           [("collector/native/perf_ring.c", "__atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE)"),
            ("collector/native/perf_ring.c", "__atomic_store_n(&page->data_tail, ring->tail, __ATOMIC_RELEASE)")],
           lambda weak: [[read("head", "head", "acquire"), read("record", "record", when=[("head", 1)]),
                          write("tail", 1, "relaxed" if weak else "release", when=[("head", 1)])],
                         [write("record", 1), write("head", 1, "release"), read("tail", "tail"), fence("full"),
                          write("record", 2, when=[("tail", 1)])]],
           {"record": 0, "head": 0, "tail": 0},
           lambda m, r: r["head"] == 0 or r["record"] == 1)
    yield ("what a slot holds is known when its key is seen",
           [("preload/steps/steps.c", "atomic_store_explicit(&slots[i].key, key, memory_order_release)"),
            ("preload/steps/steps.c", "atomic_load_explicit(&slots[i].key, memory_order_acquire) != key"),
            ("preload/requests/marks.c", "atomic_store_explicit(&mark->key, key, memory_order_release)"),
            ("preload/requests/marks.c", "atomic_load_explicit(&mark_slot(key, i)->key, memory_order_acquire) == key")],
           lambda weak: [[add("key", 1, "full"), write("name", 1), write("key", 2, "relaxed" if weak else "release")],
                         [read("key", "key", "acquire"), read("name", "name", when=[("key", 2)])]],
           {"key": 0, "name": 0},
           lambda m, r: r["key"] != 2 or r["name"] == 1)
    yield ("what a word says is known is there for the thread that reads it",
           [("preload/torch/torch.c", "int state = atomic_load_explicit(&torch_state, memory_order_acquire)"),
            ("preload/torch/torch.c", "atomic_store(&torch_state, TORCH_ON)"),
            ("preload/torch/torch_callbacks.c", "if (!atomic_load_explicit(&torch_callbacks_vary, memory_order_acquire))"),
            ("preload/torch/torch_callbacks.c", "atomic_store(&torch_callbacks_vary, varies)"),
            ("preload/python/thread_starts.c", "atomic_load_explicit(&is_before, memory_order_acquire)"),
            ("preload/python/thread_starts.c", "atomic_store(&is_before, true)"),
            ("preload/record/recorder.c", "return atomic_load_explicit(&recorder_running, memory_order_acquire)"),
            ("preload/record/recorder.c", "atomic_store(&recorder_running, true)"),
            ("preload/steps/steps.c", "if (!atomic_load_explicit(&is_leader, memory_order_acquire))"),
            ("preload/steps/steps.c", "atomic_store(&is_leader, true)")],
           lambda weak: [[write("functions", 1), write("state", 1, "full")],
                         [read("state", "state", "relaxed" if weak else "acquire"),
                          read("functions", "functions", when=[("state", 1)])]],
           {"functions": 0, "state": 0},
           lambda m, r: r["state"] == 0 or r["functions"] == 1)
    for side in ("writes", "reads"):
        yield ("a function of ours that CPython calls finds what it stands for, also where no GIL orders who %s it" % side,
               [("preload/python/vectorcall.c",
                 "atomic_store_explicit(original, current, memory_order_relaxed);\n\tatomic_thread_fence(memory_order_release)"),
                ("preload/python/vectorcall.h",
                 "atomic_thread_fence(memory_order_acquire);\n\treturn atomic_load_explicit(original,")],
               lambda weak, side=side: [
                   [write("original", 1)] + ([] if weak and side == "writes" else [fence("release")]) + [write("pointer", 1)],
                   [read("pointer", "pointer")] + ([] if weak and side == "reads" else [fence("acquire")]) +
                   [read("original", "original", when=[("pointer", 1)])]],
               {"original": 0, "pointer": 0},
               lambda m, r: r["pointer"] == 0 or r["original"] == 1)
    yield ("a stream of HTTP/2 that both sides end is ended once, and not the next one in its slot",
           [("preload/requests/h2.c", "atomic_store_explicit(&stream->id, id, memory_order_release)"),
            ("preload/requests/h2.c", "if (atomic_load_explicit(&stream->id, memory_order_acquire) == wanted)"),
            ("preload/requests/h2.c", "if (atomic_compare_exchange_strong(&stream->id, &id, 0))")],
           # the weaker form exchanges whichever id it finds
           lambda weak: [[(Access("take", "id", None, "full", "mine"), write("id", 0, "full", when=[("mine", 5)])),
                          read("id", "free", "acquire"), write("number", 2, when=[("free", 0)]),
                          write("id", 7, "release", when=[("free", 0)])],
                         [read("id", "seen", "acquire"), read("number", "number"),
                          (Access("take", "id", None, "full", "old"),
                           write("id", 0, "full", when=[("seen", 5), ("old", 7 if weak else 5)]))]],
           {"id": 5, "number": 1},
           lambda m, r: m["id"] == 7 and (r["old"] != 5 or r["number"] == 1))
    yield ("a callback of CUPTI's other user gets that user's argument",
           [("preload/gpu/gpu_share.c", "memory_order_acquire);\n\n\t*ret_user = "),
            ("preload/gpu/gpu_share.c", "if (callback)\n\t\tatomic_store(&their_user, user);\n"
             "\tatomic_store(&their_callback, callback)")],
           lambda weak: [[write("user", 1), write("callback", 1, "full")],
                         [read("callback", "callback", "relaxed" if weak else "acquire"),
                          read("user", "user", when=[("callback", 1)])]],
           {"user": 0, "callback": 0},
           lambda m, r: r["callback"] == 0 or r["user"] == 1)


PUBLISHED = "one word announces what was written before it, as in 'what a map of pointers finds is whole'"
# files that ask for an order, and whose protocol has the form of another one
ALIKE = {
    "preload/stacks/large.c": "settings: each word is used alone",
    "preload/stacks/unload.h": PUBLISHED,
    "preload/stacks/unload.c": PUBLISHED,
    "preload/python/thread_starts.c": PUBLISHED,
    "preload/pyframes/pyframes.c": "the count of ended code objects is used alone",
    "preload/pyframes/codes.c": "the same; a code object at the address of another is handed on by the GIL",
    "preload/record/driver.c": "an exchange: the first one reports",
    "preload/record/limitation.c": PUBLISHED,
    "preload/record/task.c": PUBLISHED,
    "preload/cuda/cuda_library.c": PUBLISHED,
    "preload/cuda/call_sites.h": PUBLISHED,
    "preload/gpu/gpu_clock.c": PUBLISHED,
    "preload/gpu/gpu_lookup.c": PUBLISHED,
    "preload/gpu/gpu_share.c": PUBLISHED,
    "preload/gpu/gpu.c": PUBLISHED,
    "preload/gpu/gpu.h": PUBLISHED,
    "preload/steps/capture_range.c": "settings: each word is used alone",
    "preload/hook/known_origin.h": PUBLISHED,
    "preload/routes/routes.c": PUBLISHED,
    "preload/requests/connections.c": PUBLISHED,
    "preload/requests/h2.c": PUBLISHED,
    "preload/requests/tls.c": PUBLISHED,
    "preload/hook/allocator_names.c": PUBLISHED,
    "preload/hook/hook.c": PUBLISHED,
    "preload/nvtx/nvtx_tasks.c": "a task's levels are used by one thread at a time, as the program runs it",
    "preload/nvtx/nvtx_v2.h": PUBLISHED,
    "preload/nvtx/nvtx_v2.c": PUBLISHED,
    "collector/core/view.c": "the line is read after collector_state, which is written after it",
    "collector/core/view.h": "the functions of view_acquire64()",
}
# Words that are changed with an order and read without one, and why nothing depends on it. The file is the one that reads.
ALONE = "nothing that is read afterwards depends on it"
AGAIN = "only whether it is worth while to ask: what follows asks again, with an order"
VALUE = "the word is all that is read"
HINT = "where to look first: what is found there is taken with an exchange"
RELAXED = {
    "collector/region/region.h: ring_free": HINT,
    "preload/cuda/cuda.h: driver_is_known": AGAIN,
    "preload/cuda/cuda_library.c: original": VALUE,
    "preload/gpu/gpu_asked.c: is_detaching": ALONE,
    "preload/gpu/gpu_asked.c: is_resting": AGAIN,
    "preload/gpu/gpu_asked.c: is_to_stay": ALONE,
    "preload/gpu/gpu_callback.c: gpu_share_callbacks": ALONE,
    "preload/gpu/gpu_form.c: flushed": AGAIN,
    "preload/gpu/gpu_second.c: is_here": ALONE,
    "preload/gpu/gpu_share.c: wanted": ALONE,
    "preload/gpu/gpu_windows.h: gpu_stage": ALONE,
    "preload/hook/known_origin.h: caller": "changes once; the function beside it is read with an order, and was written after it",
    "preload/io/short_calls.c: io_ticks": VALUE,
    "preload/life/init.c: init_state": ALONE,
    "preload/lightning/lightning.c: awaited": AGAIN,
    "preload/nvtx/nvtx.c: marks_open": AGAIN,
    "preload/nvtx/nvtx.c: steps_open": AGAIN,
    "preload/nvtx/nvtx.c: task_thread": AGAIN,
    "preload/python/python.c: has_run": AGAIN,
    "preload/python/python.c: is_begun": AGAIN,
    "preload/python/tasks.c: task_greenlets": ALONE,
    "preload/python/thread_starts.c: starter": "only the thread that wrote its own id finds it",
    "preload/record/capture.h: capture_on": ALONE,
    "preload/record/capture.c: opened_due": AGAIN,
    "preload/record/driver.h: driver_is_known": AGAIN,
    "preload/record/foreign_generators.c: types": VALUE,
    "preload/record/entry.c: serial": "of the process's own entry, which it has taken itself",
    "preload/record/names.c: chunk_list": "the address is compared, and not read from",
    "preload/record/room.c: asleep": AGAIN,
    "preload/record/rings.c: hint": HINT,
    "preload/record/rings.c: limit": HINT,
    "preload/record/rings.c: stalled": ALONE,
    "preload/record/room.c: stalled": ALONE,
    "preload/record/task.c: task_greenlets": ALONE,
    "preload/record/task.h: task_thread": AGAIN,
    "preload/requests/connections.h: connection_table": AGAIN,
    "preload/requests/exchange.h: is_followed": AGAIN,
    "preload/requests/tls.c: tls_table": AGAIN,
    "preload/requests/paths.c: at": VALUE,
    "preload/requests/paths.c: counter": VALUE,
    "preload/requests/paths.c: hash": VALUE,
    "preload/torch/torch_callbacks.c: wants_types": AGAIN,
    "preload/stacks/thread.c: memory": "the address is compared, and not read from",
    "preload/stacks/thread.c: taken": AGAIN,
    "preload/stacks/unload.h: unload_forget": "the address is compared, and not called",
    "preload/steps/detail.c: detail_has_steps": ALONE,
    "preload/steps/detail.c: detail_share": VALUE,
    "preload/steps/detail.c: detail_is_held": ALONE,
    "preload/steps/detail.h: detail_off": ALONE,
    "preload/steps/steps.c: first_is_marked": AGAIN,
    "preload/torch/torch.c: capture_range_held": AGAIN,
    "preload/torch/torch.c: marks_open": AGAIN,
    "preload/torch/torch.c: sampling_unreported": AGAIN,
    "preload/torch/torch.c: steps_open": AGAIN,
}
CALL = re.compile(r"\batomic_(load|store|exchange|compare_exchange|fetch)\w*\s*\(|__atomic_(load|store|exchange|compare_exchange|\w*fetch)\w*\s*\(")
ORDERED = re.compile(r"memory_order_(?:acquire|release|acq_rel|seq_cst)|__ATOMIC_(?:ACQUIRE|RELEASE|ACQ_REL|SEQ_CST)")


def ordered_files():
    for part in ("preload", "collector"):
        for path in sorted(glob.glob(os.path.join(ROOT, part, "*", "*.[ch]"))):
            with open(path) as source:
                lines = [line for line in source if "signal_fence" not in line]
            if any(ORDERED.search(line) for line in lines):
                yield os.path.relpath(path, ROOT)


def arguments(text, at):
    """Those of a call whose parenthesis ends before `at`."""
    depth, found = 0, [""]
    for c in text[at:]:
        if depth == 0 and c == ")":
            break
        depth += (c in "([{") - (c in ")]}")
        if depth == 0 and c == ",":
            found.append("")
        else:
            found[-1] += c
    return [" ".join(argument.split()) for argument in found]


def word_of(expression):
    """Its last name: `head` of &lane->ring->head, `gate` of &gates->gate[i]."""
    names = re.findall(r"\w+$", re.sub(r"\[[^\]]*\]", "", expression))
    return names[0] if names else expression


def accesses():
    """(file, word, whether it is read without an order, whether it is changed with one)"""
    for part in ("preload", "collector"):
        for path in sorted(glob.glob(os.path.join(ROOT, part, "*", "*.[ch]"))):
            with open(path) as source:
                text = re.sub(r"/\*.*?\*/", "", source.read(), flags=re.S)
            for call in CALL.finditer(text):
                given = arguments(text, call.end())
                is_read = "load" in (call.group(1), call.group(2))
                is_relaxed = any(a in ("memory_order_relaxed", "__ATOMIC_RELAXED") for a in given[1:])
                yield (os.path.relpath(path, ROOT), word_of(given[0]), is_read and is_relaxed, not is_read and not is_relaxed)


def relaxed_words(sources):
    """
    Words that a file reads without an order and that another line changes with one, where no protocol has the word. A short name
    (state) is that of a member: it is one word within a folder. A long one (steps_open) is one word everywhere.
    """
    found = list(accesses())
    for file, word in sorted({(file, word) for file, word, reads, _ in found if reads}):
        changed = {f for f, w, _, changes in found if w == word and changes and
                   ("_" in word or os.path.dirname(f) == os.path.dirname(file))}
        if changed and not any(f in changed | {file} and re.search(r"\b%s\b" % word, text) for f, text in sources):
            yield "%s: %s" % (file, word)


def unordered(sources):
    found = set(relaxed_words(sources))
    for key in sorted(found - set(RELAXED)):
        yield "%s is read without an order, and changed with one: read it with one, or add a protocol or a line of RELAXED" % key
    for key in sorted(set(RELAXED) - found):
        yield "%s: a line of RELAXED that is not needed" % key


def uncovered(named):
    """Lines about files that no protocol names, and about lines of ALIKE that are not needed."""
    found = set(ordered_files())
    for file in sorted(found - named - set(ALIKE)):
        yield "%s: asks for an order, but no protocol names it: add one, or a line of ALIKE" % file
    for file in sorted(set(ALIKE) - found):
        yield "%s: a line of ALIKE, but it asks for no order" % file


def main():
    failed = count = 0
    named, listed = set(), []
    for name, sources, threads, memory, holds in protocols():
        count += 1
        named.update(file for file, _ in sources)
        listed += sources
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
    for line in [*uncovered(named), *unordered(listed)]:
        print(line)
        failed += 1
    print("%d protocols, %d errors" % (count, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
