#!/bin/bash
# SPDX-License-Identifier: MIT
# Records the files of this directory anew, into the directory that is named: for a new version of the
# format only; the old ones stay, so that later versions are known to read them.
#
# usage: sudo tests/golden/record.sh DIRECTORY
# Runs under a host name and in a directory that say nothing about the machine.

set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
[ $# = 1 ] || { sed -n 6p "$0" >&2; exit 2; }
if [ -z "${RECORD_INNER:-}" ]; then
	mkdir -p "$1"
	RECORD_INNER=1 exec unshare -um "$0" "$(cd "$1" && pwd)"
fi

hostname example
mount -t tmpfs none /mnt
mkdir /mnt/out /mnt/home /mnt/home/venv /mnt/home/lightning /mnt/home/fake
mount --bind "$(dirname "$(dirname "$("$root/scripts/find-python.sh")")")" /mnt/home/venv
mount --bind "${XDG_CACHE_HOME:-$HOME/.cache}/intercept/lightning" /mnt/home/lightning
mount --bind "${O:-$root/build}/fake" /mnt/home/fake
cp "$root"/tests/golden/{families,collectives,samples,stuck,objects,calls}.py /mnt/home
cp "${O:-$root/build}"/{libintercept.so,intercept-collector,prof-report} /mnt/home
cp "${O:-$root/build}"/programs/{counts,captured,exits,io_calls,mappings,stack_leaks,stack_shares,cuda_gpu,every_event,native_spin} /mnt/home
export PATH=/mnt/home:/usr/bin:/bin
cd /mnt/home
record() { # NAME COMMAND...
	env -i PATH="$PATH" LD_PRELOAD=/mnt/home/libintercept.so INTERCEPT_OUTPUT="/mnt/out/$1.evt" \
		INTERCEPT_TRACE="${INTERCEPT_TRACE:-}" INTERCEPT_STACKS="${INTERCEPT_STACKS:-}" \
		INTERCEPT_STACKS_EVERY="${INTERCEPT_STACKS_EVERY:-}" INTERCEPT_SAMPLE="${INTERCEPT_SAMPLE:-}" "${@:2}"
}

mkdir "$1/events" && every_event "$1/events/newest.evt"
record counts counts /dev/null 2 2 2
record ranges captured
record memory mappings
record killed exits sigkill 20 || true
mkdir /mnt/home/data && cd /mnt/home/data
INTERCEPT_TRACE=io record io io_calls all
cd /mnt/home
# With the names of their functions in them: who reads them has neither the programs nor this C library.
echo | INTERCEPT_TRACE=alloc INTERCEPT_STACKS=native record stacks stack_leaks
INTERCEPT_TRACE=alloc INTERCEPT_STACKS=native INTERCEPT_STACKS_EVERY=64K record sampled stack_shares few
INTERCEPT_TRACE=native-samples INTERCEPT_SAMPLE=200 record native native_spin shares 0.5
INTERCEPT_TRACE=-alloc,-imports INTERCEPT_SAMPLE=100 record samples /mnt/home/venv/bin/python -I -S samples.py
INTERCEPT_TRACE=-alloc,-imports record stuck /mnt/home/venv/bin/python -I -S stuck.py || true
INTERCEPT_TRACE=pymem INTERCEPT_STACKS=python INTERCEPT_SAMPLE=0 record pymem /mnt/home/venv/bin/python -I -S objects.py
INTERCEPT_TRACE=functions,imports INTERCEPT_SAMPLE=0 record functions env INTERCEPT_REDACT=args,paths,host \
	/mnt/home/venv/bin/python -I -S calls.py
for name in stacks sampled native pymem; do
	XDG_CACHE_HOME=/mnt/home/cache prof-report symbolize --wait 60 "/mnt/out/$name.evt" -o "/mnt/out/$name.named"
	mv "/mnt/out/$name.named" "/mnt/out/$name.evt"
done
record whole counts /dev/null 2 2 2
fake=/mnt/home/fake
INTERCEPT_TRACE=cuda,gpu,nvtx INTERCEPT_SAMPLE=0 record gpu env LD_LIBRARY_PATH=$fake cuda_gpu work
env -i PATH="$PATH" PYTHONPATH=/mnt/home/lightning INTERCEPT_OUTPUT=/mnt/out/families.evt \
	INTERCEPT_TRACE=+shapes,+modules INTERCEPT_CAPTURE=cuda-profiler-api \
	LD_PRELOAD="/mnt/home/libintercept.so:$fake/libcudart.so.13:$fake/libcuda.so.1:$fake/libcublas.so.13:$fake/libcublasLt.so.13:$fake/libcupti.so.13" \
	/mnt/home/venv/bin/python families.py
INTERCEPT_TRACE=-alloc,-imports,-io INTERCEPT_SAMPLE=0 INTERCEPT_REDACT=args,paths,host \
	INTERCEPT_OUTPUT=/mnt/out/collectives.evt LD_PRELOAD=/mnt/home/libintercept.so /mnt/home/venv/bin/python collectives.py
sleep 1
# A file whose end is missing; of a session of its own, for it would be merged with the whole one.
head -c $(($(stat -c %s /mnt/out/whole.evt) * 9 / 10)) /mnt/out/whole.evt >/mnt/out/cut.evt
rm /mnt/out/whole.evt
cp /mnt/out/*.evt "$1"
