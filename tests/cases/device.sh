#!/bin/bash
# The state of GPUs by NVML: what a fake NVML plays is what the report says; what it refuses is said; it may hang, vanish, be missing.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program cuda_steady
# the collector's environment is empty: the library reads what it plays from a file beside it
mkdir fake
cp "$BUILD"/fake/*.so* fake/
libraries=$PWD/fake/libcudart.so.13:$PWD/fake/libcuda.so.1:$PWD/fake/libcupti.so.13
export INTERCEPT_METRICS=$PWD/run.prom
plays() { # SCRIPT DEVICES UNTIL: until the dump of the growing file has that line, or its number of lines
	rm -f ./*.evt* log stop
	echo "$1,log=$PWD/log" >fake/nvml.script
	FAKE_CUDA_DEVICES=$2 INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB:$libraries "$PROGRAMS/cuda_steady" "$2" "$PWD/stop" 2>err &
	pid=$!
	eventually "$1: $3" has_lines "$3" "${4:-1}"
	touch stop
	wait $pid || fail "$1: status $?: $(cat err)"
	expect_eq "$1: what is said" "$(cat err)" ""
	"$REPORT" check "$OUTPUT" >out 2>&1 || fail "$1: check: $(cat out)"
	"$REPORT" dump "$OUTPUT" >whole
	grep ' device_' whole >dump
}
has_lines() { # PATTERN COUNT
	(($("$REPORT" dump --live "$OUTPUT" 2>/dev/null | grep -c "$1") >= $2))
}
calls() { # FUNCTION: how often the collector has called it
	grep -c "^$1 " log || true
}

# one card, throttled by its power limit after three samples
plays throttles 1 'device_sample.*reasons=5' 3
expect "$OUTPUT" 'len(device.rows) == 1' 'device.rows[0].device == 0 and device.rows[0].uuid.startswith("GPU-a0a0a0a0")' \
	'device.rows[0].model == "Fake H100"' 'device.rows[0].sm_min_mhz == 1215' 'device.rows[0].sm_max_mhz == 1980' \
	'device.rows[0].sm_limit_mhz == 1980' 'device.rows[0].throttled_mhz == 1215' 'device.rows[0].power_min_w == 512' \
	'device.rows[0].power_max_w == 700 and device.rows[0].power_limit_w == 700' 'device.rows[0].reasons == "power limit"' \
	'device.rows[0].temperature_min_c == 61 and device.rows[0].temperature_max_c == 88' 'device.rows[0].memory_temperature_max_c == 72' \
	'device.rows[0].memory_used_bytes == 21 << 30 and device.rows[0].memory_bytes == 80 << 30' 'device.rows[0].gpu_percent == 97' \
	'device.rows[0].pcie == "4 x8 of 5 x16"' 'device.rows[0].pcie_received == 250000000' 'device.rows[0].nvlink_sent_bytes is None' \
	'0 < device.rows[0].any_throttled_ns == device.rows[0].power_throttled_ns < device.rows[0].busy_ns' \
	'device.rows[0].heat_throttled_ns == 0 and device.rows[0].heat_held_ns == 0' 'device.totals.troubles == 0' \
	'device.rows[0].energy_j == 500 * (device.rows[0].samples - 1)' 'summary.totals.events_lost == 0'
held=$(grep -c 'device_sample.*reasons=5' dump)
expect_eq "time that the counter has" "$(json device "$OUTPUT" 'rows[0]["power_held_ns"]')" $((held * 900000000))
expect_eq "questions for a clock" "$(calls nvmlDeviceGetClockInfo)" $((2 * $(grep -c device_sample dump)))
expect_eq "what it refuses" "$(grep -o 'device_refused.*' dump)" \
	$'device_refused card=0 figure="nvlink_sent_kib" result=3\ndevice_refused card=0 figure="nvlink_received_kib" result=3'

# two cards, and NVLink between them
rm -f ./*.evt*
plays cards=2 2 'device_sample card=1 .*reasons=1' 3
expect "$OUTPUT" 'sorted(row.device for row in device.rows) == [0, 1]' \
	'all(row.any_throttled_ns == 0 and row.reasons is None and row.busy_ns == row.sampled_ns for row in device.rows)' \
	'all(row.nvlink_received_bytes == 2 * row.nvlink_sent_bytes > 0 for row in device.rows)'

# INTERCEPT_METRICS has them while the program runs: the second file comes after 15 s
rm -f stop
echo throttles >fake/nvml.script
INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB:$libraries "$PROGRAMS/cuda_steady" 1 "$PWD/stop" 2>err &
pid=$!
eventually "a file with a throttled card" grep -q '^intercept_gpu_throttled{.*} 1' run.prom
python3 -S "$ROOT/tests/exposition.py" run.prom 'value("gpu_power_watts") == 700' 'value("gpu_sm_clock_hertz") == 1215e6' \
	'value("gpu_temperature_celsius") == 88' 'value("gpu_throttled") == 1' \
	'value("gpu_power_watts", uuid="GPU-a0a0a0a0-a0a0-a0a0-a0a0-a0a0a0a0a0a0") == 700' || fail "the metrics of the card"
touch stop
wait $pid || fail "status $?"

# idle clocks are no throttling; questions that take long are asked rarely
plays idle,slow_pcie 1 'device_sample' 4
expect "$OUTPUT" 'device.rows[0].sm_mhz == 345 and device.rows[0].busy_ns == 0 and device.rows[0].any_throttled_ns == 0' \
	'device.rows[0].throttled_percent is None and device.rows[0].reasons is None'
rounds=$(grep -c device_sample dump)
(($(calls nvmlDeviceGetPcieThroughput) <= 2 + 2 * rounds / 10)) ||
	fail "PCIe throughput was asked for $(calls nvmlDeviceGetPcieThroughput) times in $rounds rounds"

# what is refused has no figure, and is asked once; what fails is given up
plays refuses,fails 1 'device_sample' 5
expect "$OUTPUT" 'device.rows[0].temperature_c is None and device.rows[0].gpu_percent is None and device.rows[0].power_w is None' \
	'device.rows[0].busy_ns is None and device.rows[0].any_throttled_ns is None' 'device.rows[0].sm_mhz == 1980'
expect_eq "a refused question" "$(calls nvmlDeviceGetUtilizationRates)" 1
expect_eq "a failing question" "$(calls nvmlDeviceGetPowerUsage)" 3
"$REPORT" device "$OUTPUT" >out
expect_match "what the report says" "$(tr '\n' ' ' <out)" 'NVML refuses for GPU-a0.*power_mw, temperature_c, gpu_percent \(no permission\)'

# a card is lost; its samples end, the program and the recording go on
plays lost 1 'device_trouble trouble=4 card=1 result=15'
expect_eq "samples of a card that is lost" "$(grep -c device_sample dump)" 2
"$REPORT" device "$OUTPUT" >out
expect_match "what the report says" "$(tr '\n' ' ' <out)" 'The GPU GPU-a0a0.* was lost'

# NVML does not return: the recording goes on, ends at once, and says so
for how in hangs hangs_at_start; do
	plays $how 1 'device_trouble trouble=5'
	expect "$OUTPUT" 'kernels.totals.calls > 0' 'device.totals.troubles == 1' 'summary.totals.events_lost == 0'
	"$REPORT" device "$OUTPUT" >out
	expect_match "what the report says" "$(tr '\n' ' ' <out)" 'nvml[A-Za-z_0-9]* did not return: from then on there are no samples'
done
plays no_driver 1 'device_trouble trouble=2 card=0 result=9 what="nvmlInit_v2"'

# without the family, and without a GPU, nothing is opened
for what in -device -cuda,-gpu; do
	rm -f ./*.evt* log
	INTERCEPT_TRACE=$what INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB:$libraries "$PROGRAMS/cuda_steady" 1 3 2>err || fail "$what: $(cat err)"
	[[ ! -e log ]] || fail "$what: NVML was opened"
	expect "$OUTPUT" 'len(device.rows) == 0'
done
