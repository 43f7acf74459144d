/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * A recording of several segments whose index says anything: the bytes change its numbers, and the
 * first 24 of them say which part of the time is wanted. Must not crash, hang, or hand out a step
 * twice, as would happen if a segment were read twice or beside its digest.
 */
#include "report/session/source_open.h"
#include "tests/unit/segmented.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_read_part(const struct source_plan *plan)
{
	static char path[] = "fuzz.evt";
	struct session_file file = { .path = path,
				     .bytes = bytes_of(recording.bytes, recording.length) };
	struct source_event event;
	struct source *source;
	unsigned int steps = 0;
	char message[256];

	if (source_open_files(&source, &file, 1, message, sizeof(message)))
		return;
	source_seek(source, plan);
	while (!source_next(source, &event))
		steps += event.event.id == EVT_step;
	source_close(source);
	if (steps > SEGMENTS)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct segment_entry changed[SEGMENTS];
	struct source_plan plan = { 0 };
	uint64_t number[3] = { 0 };
	uint8_t *bytes = (uint8_t *)changed;

	memcpy(number, data, size < sizeof(number) ? size : sizeof(number));
	plan.from_ns = number[0];
	plan.to_ns = number[1];
	plan.before = number[2] & UINT32_MAX;
	plan.after = number[2] >> 32;
	plan.only_digests = number[2] % 7 == 3;
	seek_make();
	memcpy(changed, entry, sizeof(changed));
	for (size_t i = sizeof(number); i < size; i++)
		bytes[(i - sizeof(number)) % sizeof(changed)] ^= data[i];
	seek_put_index(changed);
	recording_finish(&recording, (SEGMENTS + 1) * S);
	fuzz_read_part(&plan);
	recording_release(&recording);
	return 0;
}
