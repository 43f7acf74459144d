#!/bin/bash
# scripts/evtdump.py, written from docs/FORMAT.md alone, prints what `prof-report dump` prints, event by event.
# SPDX-License-Identifier: MIT
# timeout: 240
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

evtdump=$ROOT/scripts/evtdump.py
python3 -c 'import zstandard' 2>/dev/null || need_tool zstd

same_dump() { # FILE [ANY-STATUS]: adds its lines to seen
	local status second
	"$REPORT" dump "$1" >first.txt 2>first.err
	status=$?
	python3 "$evtdump" "$1" >second.txt 2>second.err
	second=$?
	expect_eq "exit status of evtdump.py on ${1##*/} ($(head -n 3 second.err))" $second $status
	[[ ${2:-} || $status == 0 ]] || fail "${1##*/}: $(cat second.err)"
	[[ ${2:-} || -s first.txt ]] || fail "${1##*/}: an empty dump"
	cmp first.txt second.txt || fail "${1##*/}: $(diff first.txt second.txt | head -n 6)"
	cut -d ' ' -f 3 first.txt >>seen
}

record() { # NAME COMMAND...: the file of the run is NAME.evt
	OUTPUT=$PWD/$1.evt
	# shellcheck disable=SC2034
	run_traced "${@:2}" >/dev/null 2>&1
	[[ -e $OUTPUT ]] || fail "$1: no file"
	same_dump "$OUTPUT"
}

for program in counts errnos io_calls waits mappings captured nvtx_v3 plugins progress cuda_threads tensors; do
	need_program $program
done
# heap calls of every kind, threads and forked children; failed ones; a library that goes
record heap "$PROGRAMS/counts" /dev/null 50 2 2
record errnos "$PROGRAMS/errnos"
mkdir -p libs/inner
cp "$PROGRAMS/libouter.so" libs/
cp "$PROGRAMS/libinner.so" libs/inner/
record plugins "$PROGRAMS/plugins" "$PWD/libs/libouter.so" 3
# NVTX with all its attributes; capture ranges; texts that are no UTF-8
record nvtx "$PROGRAMS/nvtx_v3" 2 5 /dev/null
INTERCEPT_CAPTURE=nvtx:wanted record captured "$PROGRAMS/captured"
record names bash -c $'exec -a "caf\xc3\xa9 \xff\xfe \xf0\x9f\x98\x80 tab\there" "$0"' "$PROGRAMS/captured"
# input and output by every function
# what Python allocates at its start stands in one of its recordings, "lines": evtdump.py is slow
INTERCEPT_TRACE=-alloc INTERCEPT_SAMPLE=1000 record samples python3 -c 'import time
end = time.process_time() + 0.5
while time.process_time() < end: pass'
INTERCEPT_TRACE=+io record io "$PROGRAMS/io_calls" all
# waits of the operating system, recorded and only counted
INTERCEPT_TRACE=+osrt INTERCEPT_OSRT_MIN=0 record waits "$PROGRAMS/waits" all
INTERCEPT_TRACE=+osrt INTERCEPT_OSRT_MIN=1000s record short_waits "$PROGRAMS/waits" locks 3
# a sample of the heap
need_program heap_sampled
INTERCEPT_HEAP_EVERY=256K record heap_sample "$PROGRAMS/heap_sampled"
# memory beside the heap
record mappings "$PROGRAMS/mappings"
# CUDA calls of every kind, failed ones too
record cuda "$PROGRAMS/cuda_threads" 2 3
# the GPU: work whose calls are not recorded as CUDA calls, and records that CUPTI dropped
need_program cuda_gpu
INTERCEPT_TRACE=gpu INTERCEPT_GPU_WAITS=records FAKE_CUPTI_DROP=10 record gpu "$PROGRAMS/cuda_gpu" work
INTERCEPT_GPU=sums record gpu_sums "$PROGRAMS/cuda_gpu" work
INTERCEPT_GRAPHS=whole record graphs "$PROGRAMS/cuda_gpu" work
need_program cuda_life
record pool "$PROGRAMS/cuda_life" pool
# the state of GPUs: refusals, a card that is lost
need_program cuda_steady
mkdir fake
cp "$BUILD"/fake/*.so* fake/
echo lost >fake/nvml.script
LIB=$LIB:$PWD/fake/libcudart.so.13:$PWD/fake/libcuda.so.1:$PWD/fake/libcupti.so.13 record device "$PROGRAMS/cuda_steady" 1 5
record requests python3 -c 'import http.server, threading, urllib.request
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=server.handle_request).start()
urllib.request.build_opener(urllib.request.ProxyHandler({})).open("http://127.0.0.1:%d/" % server.server_port).read()
server.server_close()' 2>/dev/null
INTERCEPT_TRACE=gc record collections python3 -c 'import gc; gc.collect()'
record commands python3 -c 'import subprocess; subprocess.run(["true"])'
# calls of Python functions; another interpreter
INTERCEPT_TRACE=+functions,-alloc record functions python3 -c 'print(sorted([2, 1], key=abs))
try: import _xxsubinterpreters as interpreters
except ImportError: import _interpreters as interpreters
other = interpreters.create()
(getattr(interpreters, "run_string", None) or interpreters.exec)(other, "import html")
interpreters.destroy(other)'
# every event in a recorded file; of these, what needs greenlets, or operators over a GPU, and what only older versions wrote is seen there alone
cp seen recorded
for file in "$ROOT"/tests/golden/events/*.evt; do
	same_dump "$file"
done
grep -xE 'gpu_scope|gpu_step|function_stack|io_unfinished|cuda_unfinished|osrt_waiting|osrt_unfinished|torch_end_outer|python_task|torch_end_ex' seen >>recorded
mv recorded seen
# memory of tensors
mkdir -p torch
cp "$PROGRAMS/libfake_c10.so" torch/libc10.so
record tensors "$PROGRAMS/tensors" "$PWD/torch/libc10.so"
# operators of PyTorch, where there is one
missing=module_end
if PYTHON=$(torch_python); then
	cat >torch.prog <<'END'
import torch
weight = torch.nn.Parameter(torch.ones(2))
optimizer = torch.optim.SGD([weight], lr=0.1)
for _ in range(20):
    torch.nn.Identity()(weight.sum()).backward()
    optimizer.step()
END
	PYTHONPATH=$ROOT/tests/torch/eager INTERCEPT_TRACE=torch,shapes,modules INTERCEPT_OPERATORS=2 record torch "$PYTHON" torch.prog
	cat >collective.prog <<'END'
import os, torch, torch.distributed as d
d.init_process_group("gloo", store=d.HashStore(), rank=0, world_size=1)
d.all_reduce(torch.ones(2))
d.destroy_process_group()
os._exit(0)  # gloo now and then aborts in its own teardown, without intercept too
END
	PYTHONPATH=$ROOT/tests/torch/eager INTERCEPT_TRACE=torch,shapes record collective "$PYTHON" collective.prog
else
	missing='module_end|step|torch_.*|autograd_.*'
fi
# actions of Lightning's Trainer; a package that is like it is enough
mkdir -p pl/pytorch_lightning/profilers
touch pl/pytorch_lightning/__init__.py pl/pytorch_lightning/profilers/__init__.py
cat >pl/pytorch_lightning/profilers/base.py <<'END'
class PassThroughProfiler:
    def start(self, action_name):
        pass
    def stop(self, action_name):
        pass
END
cat >pl/actions.py <<'END'
from pytorch_lightning.profilers.base import PassThroughProfiler
import html.entities
PassThroughProfiler().start("caf\xe9")
PassThroughProfiler().stop("caf\xe9")
END
INTERCEPT_TRACE=-alloc record actions python3 pl/actions.py
# lines of Python in stacks
INTERCEPT_STACKS=python record lines python3 -c 'blocks = [bytearray(5000 + k) for k in range(9)]'
# objects of Python; one that there is no memory for
INTERCEPT_TRACE=+pymem,-alloc record pymem python3 -c '
try:
    block = bytearray(1)
    block *= 1 << 46
except MemoryError:
    pass'
# native samples, which not every machine allows: a recorded file has some
need_program native_spin
INTERCEPT_TRACE=+native-samples record native_here "$PROGRAMS/native_spin" shares 0.5
same_dump "$ROOT/tests/golden/native.evt"
# stacks, in a file made for it: every flag, two processes, more than one frame holds
need_program stack_file
"$PROGRAMS/stack_file" "$PWD/stacks.evt" || fail "stack_file failed"
same_dump "$PWD/stacks.evt"
"$REPORT" check "$PWD/stacks.evt" >check.txt || fail "check: $(cat check.txt)"
grep -q ', 2004 stacks of 100004 frames$' check.txt || fail "check does not count stacks: $(cat check.txt)"
# losses: the limit of the file
INTERCEPT_MAX_FILE=64K INTERCEPT_OUTPUT=$PWD/limited.evt LD_PRELOAD=$LIB "$PROGRAMS/progress" progress 1 &
pid=$!
eventually "four times of what the file has room for" has_progress progress 1500000
kill -9 $pid
wait $pid 2>/dev/null
same_dump "$PWD/limited.evt"

# Every type that there is must have been seen; a module's end only when the collector looked in between.
sort -u seen -o seen
sed -n 's/^EVENT([0-9]*, \([a-z_]*\),.*/\1/p' "$ROOT"/collector/format/events/*.def | grep -vxE "$missing" | sort |
	comm -23 - seen >unseen
[[ -s unseen ]] && fail "no such event in any recording: $(tr '\n' ' ' <unseen)"

# What is left of a file that was cut, and of one with a frame that was changed.
size=$(stat -c %s heap.evt)
head -c $((size * 3 / 4)) heap.evt >cut.evt
same_dump cut.evt any
# the magic and the length of each frame behind the schema, where the end of the frame cannot be known any more
PYTHONDONTWRITEBYTECODE=1 python3 -S - "$ROOT" heap.evt >starts.txt <<'END' || fail "no frames in heap.evt"
import sys
sys.path.insert(0, sys.argv[1] + "/scripts")
import evtdump
data, at = open(sys.argv[2], "rb").read(), 0
while at < len(data):
    magic, piece = evtdump.piece_at(data, at)
    if magic == evtdump.MAGIC_ZSTD:
        print(at)
    at += len(piece)
END
sed 1d starts.txt | head -n 4 >frames.txt
[[ -s frames.txt ]] || fail "heap.evt has no frame but the schema's"
# behind the schema, which this reader has nothing in place of
behind=$(head -n 1 frames.txt)
cp heap.evt changed.evt
printf '\377\377\377\377' | dd of=changed.evt bs=1 seek=$((behind + (size - behind) / 2)) conv=notrunc status=none
same_dump changed.evt any
while read -r start; do
	for part in 0 9; do
		cp heap.evt changed.evt
		printf '\377\377\377\377' | dd of=changed.evt bs=1 seek=$((start + part)) conv=notrunc status=none
		same_dump changed.evt any
	done
done <frames.txt

for file in "$ROOT"/tests/golden/*.evt; do
	[[ -e $file ]] && same_dump "$file" any
done

# The frame that the document spells out byte by byte.
PYTHONDONTWRITEBYTECODE=1 python3 -S - "$ROOT" >example.txt <<'END' || fail "the document's example cannot be decoded"
import re
import sys
sys.path.insert(0, sys.argv[1] + "/scripts")
import evtdump

def example(title):
    text = open(sys.argv[1] + "/docs/FORMAT.md").read().split(title)[1].split("\n## ")[0]
    lines = [line[4:] for line in text.split("\n") if line.startswith("    ")]
    return bytes.fromhex("".join(re.match(r"(?:(?:[0-9a-f]{2}|\|) +)*(?:[0-9a-f]{2}(?= |$))?", line).group().replace("|", "")
                                 for line in lines))


def entry(text):
    return bytes([len(text)]) + text


def event(number, name, *fields):
    fields = [entry(entry(field) + bytes([codec, 0])) for field, codec in fields]
    return entry(bytes([number]) + entry(name) + b"\0\0" + bytes([len(fields)]) + b"".join(fields))


types = evtdump.read_schema(b"SCHM\5" + event(1, b"string", (b"id", 1), (b"text", 5)) + event(
    32, b"malloc", (b"ptr", 6), (b"size", 8), (b"caller", 9)) + event(36, b"free", (b"ptr", 7)) + event(
    48, b"nvtx_push", (b"domain", 4), (b"name", 4)) + event(50, b"nvtx_pop", (b"domain", 4)))
dump = evtdump.Dump()
for title in "## A frame, byte by byte", "## The same with stacks, byte by byte":
    frame = evtdump.Frame(example(title), types)
    dump.learn(frame)
    print(*map(dump.line, frame.records), sep="\n")
END
cat >wanted.txt <<'END'
900 0 string id=1 text="step"
1000 1 malloc ptr=0x5500002000 size=100 caller=0x7f0000401234
1200 1 malloc ptr=0x5500002070 size=100 caller=0x7f0000401234
1250 1 free ptr=0x5500002000
1300 1 malloc ptr=0x5500002000 size=64 caller=0x7f0000401234
1400 1 nvtx_push domain="" name="step"
1024 1 malloc ptr=0x5500002000 size=100 caller=0x401020 stack=0x7f0000001030/2,0x401020,0x401010/4
1100 1 nvtx_pop domain="" stack=0x401020,0x401010/4
1200 1 nvtx_pop domain=""
END
cmp wanted.txt example.txt || fail "the document's example: $(diff wanted.txt example.txt)"
