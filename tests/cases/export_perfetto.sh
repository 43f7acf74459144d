#!/bin/bash
# export perfetto: read by Perfetto's own schema, every span, moment, counter and arrow is that of export chrome.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 300
readers=$(fetched readers)
[[ -e $readers/complete ]] || skip "no schema of Perfetto (scripts/readers-env.sh installs it)"
cat >compare.py <<'END'
import collections, json, os, subprocess, sys
sys.path.insert(0, os.environ["ROOT"] + "/tests")
from page_stacks import recorded, whole as stacks_of
from google.protobuf import unknown_fields
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema
report, path, *wanted = sys.argv[1:]

def export(kind, name):
    return subprocess.run([report, "export", kind, path, "-o", name], capture_output=True, text=True, timeout=600)

def ns(us):
    return round(us * 1000)

json_done, done = export("chrome", "out.json"), export("perfetto", "out.pftrace")
assert done.returncode == json_done.returncode, (done, json_done)
assert [line for line in done.stderr.splitlines() if "out.pftrace" not in line] == [
    line for line in json_done.stderr.splitlines() if "out.json" not in line and "several ranks" not in line]
whole = schema.Trace()
whole.ParseFromString(open("out.pftrace", "rb").read())
def is_known(message):
    return not len(unknown_fields.UnknownFieldSet(message)) and all(
        is_known(inner) for field, value in message.ListFields() if field.message_type
        for inner in (value if hasattr(value, "append") else [value]))
assert is_known(whole), "fields that Perfetto does not know"

Track = collections.namedtuple("Track", "kind name pid tid parent")
tracks, words = {}, [{}, {}, {}]
packets = list(whole.packet)
assert packets[0].sequence_flags == 1 and packets[0].first_packet_on_sequence
events = []
for packet in packets:
    assert packet.trusted_packet_sequence_id == 1
    if packet.HasField("track_descriptor"):
        track = packet.track_descriptor
        kind = "process" if track.HasField("process") else "thread" if track.HasField("thread") else \
            "counter" if track.HasField("counter") else "line"
        owner = track.process if kind == "process" else track.thread
        known = tracks.get(track.uuid)
        name = track.process.process_name if kind == "process" else track.thread.thread_name if kind == "thread" else track.name
        new = Track(kind, name, owner.pid, track.thread.tid, track.parent_uuid)
        assert not known or known[0] == new[0] and known[2:] == new[2:] and not known.name, (known, new)
        assert not new.parent or new.parent in tracks, "a track comes before the one that it is below"
        tracks[track.uuid] = new
    if packet.HasField("interned_data"):
        for known, new in zip(words, (packet.interned_data.event_categories, packet.interned_data.event_names,
                                      packet.interned_data.debug_annotation_names)):
            for word in new:
                assert word.iid not in known
                known[word.iid] = word.name
    if packet.HasField("track_event"):
        event = packet.track_event
        assert event.track_uuid in tracks and packet.sequence_flags == 2
        arguments = {words[2][at.name_iid]: getattr(at, at.WhichOneof("value")) for at in event.debug_annotations}
        category = words[0][event.category_iids[0]] if event.category_iids else None
        events.append((packet.timestamp, event, category, words[1].get(event.name_iid), arguments))

def thread_of(uuid):
    track = tracks[uuid]
    while track.kind not in ("thread", "process") and track.parent:
        track = tracks[track.parent]
    return track.pid, track.tid

# as trace_processor puts spans together: by time, equal times in the order of the file; an end is that of the innermost
open_spans, spans, flows, ends, values = collections.defaultdict(list), [], collections.Counter(), collections.Counter(), collections.Counter()
moments = collections.Counter()
for time, event, category, name, arguments in sorted(events, key=lambda at: at[0]):
    kind = event.type
    for flow in event.flow_ids:
        flows[flow] += 1
    for flow in event.terminating_flow_ids:
        ends[flow] += 1
    if kind == schema.TrackEvent.TYPE_SLICE_BEGIN:
        open_spans[event.track_uuid].append([time, category, name, arguments, event.track_uuid])
    elif kind == schema.TrackEvent.TYPE_SLICE_END:
        begin = open_spans[event.track_uuid].pop()
        spans.append((*begin, time - begin[0]))
    elif kind == schema.TrackEvent.TYPE_COUNTER:
        values[tracks[event.track_uuid].name, thread_of(event.track_uuid)[0], time, event.counter_value] += 1
    else:
        assert kind == schema.TrackEvent.TYPE_INSTANT
        moments[category, name, time, json.dumps(arguments)] += 1
for begins in open_spans.values():
    spans += [(*begin, None) for begin in begins]

trace = json.load(open("out.json"))
ours, theirs, halves = collections.Counter(), collections.Counter(), {}
def value_text(value):
    if isinstance(value, int) and value >= 1 << 63:  # "fd" of a call that failed
        value -= 1 << 64
    return value if isinstance(value, str) else json.dumps(value)
seen, looks = collections.Counter(), 0
_, _, places = recorded(report, path)
stacks = stacks_of(places)
for time, category, name, arguments, uuid, duration in spans:
    if category != "python_stack":
        continue
    line = tracks[uuid]
    assert line.name == "Python's stack" and tracks[line.parent].kind == "thread", line
    seen[name, arguments["state"]] += duration
    looks += arguments["looks"]
    frames = arguments.get("stack", "").split("\n")
    assert name == "(stack could not be read)" or frames[0] == name, (name, frames)
    assert len(frames) > 99 or not places or name.startswith("(") or "\n".join("  " + frame for frame in frames) in stacks, frames
if "good_ranks" not in path:  # of several files the dump has several numberings
    wanted_stacks, all_looks, _ = recorded(report, path)
    assert +seen == +wanted_stacks, (path, list((seen - wanted_stacks).items())[:3], list((wanted_stacks - seen).items())[:3])
    assert looks <= all_looks
for time, category, name, arguments, uuid, duration in spans:
    if category == "python_stack":
        continue
    extra = tuple(sorted((key, value_text(value)) for key, value in arguments.items()))
    owner = ("device", arguments["device"]) if category in ("kernel", "gpu_memcpy", "gpu_memset") else thread_of(uuid)
    if category in ("kernel", "gpu_memcpy", "gpu_memset"):
        line = tracks[uuid]
        assert line.name.split()[:2] == ["stream", str(arguments["stream"])], line
        assert tracks[line.parent].name == f"GPU {arguments['device']}"
    ours[category, name, time, duration, extra, owner] += 1
their_moments, their_values, arrows = collections.Counter(), collections.Counter(), collections.Counter()
for event in trace["traceEvents"]:
    category, phase = event.get("cat"), event["ph"]
    owner = (event["pid"], event["tid"])
    # an argument that is a list in JSON is its text here
    extra = {key: value_text(value) for key, value in event.get("args", {}).items()}
    if phase in "XB":
        if category in ("kernel", "gpu_memcpy", "gpu_memset"):
            owner = ("device", event["pid"])
        theirs[category, event["name"], ns(event["ts"]), ns(event["dur"]) if phase == "X" else None,
               tuple(sorted(extra.items())), owner] += 1
    elif phase == "b":
        halves[event["id"]] = event
    elif phase == "e":
        begin = halves.pop(event["id"])
        theirs[category, event["name"], ns(begin["ts"]), ns(event["ts"]) - ns(begin["ts"]), (), (event["pid"], 0)] += 1
    elif phase == "i":
        their_moments[category, event["name"], ns(event["ts"])] += 1
    elif phase == "C":
        their_values[event["name"], event["pid"], ns(event["ts"]), event["args"]["bytes"]] += 1
    elif phase in "sf":
        arrows[phase + category] += 1
for event in halves.values():
    theirs[event["cat"], event["name"], ns(event["ts"]), None, (), (event["pid"], 0)] += 1

def alike(counter):  # lists are written with and without spaces
    found = collections.Counter()
    for (category, name, time, duration, extra, owner), count in counter.items():
        extra = tuple((key, value.replace(" ", "").replace("'", '"')) for key, value in extra)
        found[category, name, time, duration, extra, owner] += count
    return found
ours, theirs = alike(ours), alike(theirs)
assert ours == theirs, (path, list((ours - theirs).items())[:3], list((theirs - ours).items())[:3])
assert values == their_values, (path, list((values - their_values).items())[:3], list((their_values - values).items())[:3])
losses = [json.loads(at[3]) for at, count in moments.items() for _ in range(count) if at[0] == "intercept_losses"]
assert sum(at["count"] for at in losses) == sum(loss["count"] for loss in trace["intercept_losses"])
assert sum(count for at, count in moments.items() if at[0] == "intercept_faults") == len(trace["intercept_faults"])
found = collections.Counter()
for (category, name, time, _), count in moments.items():
    if category not in ("intercept_losses", "intercept_faults", "fwdbwd"):
        found[category, name, time] += count
assert found == their_moments, path
backward = 1 << 63
assert sum(count for flow, count in flows.items() if flow & backward) == arrows["sfwdbwd"]
assert sum(count for flow, count in ends.items() if flow & backward) == arrows["ffwdbwd"]
launches = {flow for flow in flows if not flow & backward}
kernels = {flow: count for flow, count in ends.items() if not flow & backward}
assert sum(kernels.values()) == arrows["fac2g"], (kernels, arrows)
assert all(flow in launches for flow in kernels), "an arrow comes from nowhere"
heap = [value for (name, _, _, value), count in values.items() if name == "heap"]
for what in wanted:
    assert sum(count for key, count in (ours + found).items() if key[0] == what) > 0 or what in ("flow", "counter", "heap", "stack"), what
    assert what != "flow" or kernels
    assert what != "counter" or values
    assert what != "heap" or max(heap) > 0
    assert what != "stack" or seen
overlapping = sum("overlapping" in track.name for track in tracks.values())
print(path, len(spans), "spans,", overlapping, "lines for what overlaps")
END
some=$ROOT/tests/truth/recordings/collate.evt
damaged_copies "$some"

# stacks of Python, and the heap beside resident memory
run_traced python3 -c '
import time
kept = []
for i in range(40):
    kept.append(bytearray(100000))
    until = time.monotonic() + 0.02
    while time.monotonic() < until:
        pass' || fail "status $?"
mv "$OUTPUT" heap.evt

# arrows from calls to what the GPU did
need_program cuda_gpu
# (a run of a second and more has samples of its GPU, which Chrome's trace has as other counters)
INTERCEPT_TRACE=-device run_traced "$PROGRAMS/cuda_gpu" work 2>gpu.err || fail "cuda_gpu: $(cat gpu.err)"
{
	printf '%s\n' "$ROOT"/tests/golden/*.evt "$ROOT"/tests/truth/recordings/{good_ranks,good_labels,collate,compiled}.evt cut.evt bad.evt
	printf '%s\tstack\n' "$ROOT/tests/truth/recordings/gil_contention.evt"
	printf '%s\n' $'heap.evt\tstack\tcounter\theap' "$OUTPUT"$'\tkernel\tgpu_memcpy\tflow'
} | "$readers/bin/python" "$ROOT/tests/each.py" compare.py "$REPORT" >log 2>err || fail "what was exported is not what export chrome has: $(tail -n 9 err)"

# hostile names stay data, whatever their bytes are
cat >hostile.c <<'END'
#include <sys/prctl.h>
int main(void)
{
	return prctl(PR_SET_NAME, "\"}\n\xff\x1b[1m") || !__builtin_malloc(10);
}
END
gcc -w -o $'bad\xff<script>\xc3\xa9"' hostile.c || fail "no compiler"
rm -f run.evt*
run_traced $'./bad\xff<script>\xc3\xa9"' || fail "status $?"
"$REPORT" export perfetto "$OUTPUT" -o out.pftrace 2>err || fail "$(cat err)"
"$readers/bin/python" - <<'END' || fail "a name is not what it was"
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema
trace = schema.Trace()
trace.ParseFromString(open("out.pftrace", "rb").read())
tracks = [packet.track_descriptor for packet in trace.packet if packet.HasField("track_descriptor")]
names = {track.process.process_name for track in tracks} | {track.thread.thread_name for track in tracks}
assert './bad\ufffd<script>\u00e9"' in names and '"}\n\ufffd\x1b[1m' in names, names
END

# compressed, and what is refused
"$REPORT" export perfetto "$OUTPUT" -o out.pftrace.gz 2>err || fail "$(cat err)"
gzip -dc out.pftrace.gz | cmp - out.pftrace || fail "compressed is not the same"
"$REPORT" export perfetto "$OUTPUT" 2>err | cmp - out.pftrace || fail "stdout has something else"
[ ! -e /dev/full ] || { "$REPORT" export perfetto "$some" -o /dev/full 2>err; expect_eq "status of a full disk" $? 1; }
cp "$some" own.evt
"$REPORT" export perfetto own.evt -o own.evt 2>err && fail "the recording was written over"
cmp own.evt "$some" || fail "the recording was written over"
exit 0
