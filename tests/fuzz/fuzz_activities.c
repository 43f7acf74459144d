/* SPDX-License-Identifier: MIT */
/* links: preload:gpu/gpu_record.c preload:gpu/gpu_clock.c preload:gpu/gpu_copy.c preload:base/clock.c preload:base/symbols.c */
/*
 * Any bytes as a buffer of CUPTI's activity records: as events of ours, as times of two clocks, and
 * as copies for another user, whose buffers are as small as the bytes want. Nothing is read or
 * written outside, no record is copied twice, and of a time that makes no sense nothing is said.
 *
 * The first byte is how far records are apart (CUPTI says that, and may be wrong), the second how
 * many bytes its buffers have, the third which kinds it wants. The rest is the buffer.
 */
#include <stdlib.h>
#include <string.h>

#include "preload/base/clock.h"
#include "preload/gpu/gpu.h"
#include "preload/gpu/gpu_clock.h"
#include "preload/gpu/gpu_copy.h"
#include "preload/gpu/gpu_records.h"
#include "preload/gpu/gpu_share.h"
#include "preload/record/entry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* --- what the files linked with want of the others --- */

static uint8_t wanted;

struct region_header *entry_region(void)
{
	static struct region_header header = { .base_tsc = 1, .base_mono = 1 };

	return &header;
}

uint32_t gpu_last_correlation(void)
{
	return wanted & 0x80 ? 1000 : 0;
}

bool gpu_share_wants(enum gpu_user who, uint32_t kind)
{
	return who == GPU_US ? kind & 1 : (kind & wanted) != 0;
}

/* --- CUPTI, and another user of it --- */

static size_t step, their_bytes, their_open, their_valid;
static volatile uint64_t sum; /* so that values are read */

static cupti_result next_record(uint8_t *buffer, size_t valid_bytes, void **record)
{
	uint8_t *at = *record ? (uint8_t *)*record + step : buffer;

	if (at >= buffer + valid_bytes + (step & 1)) /* an odd one goes too far by a byte */
		return CUPTI_MAX_LIMIT;
	*record = at;
	return CUPTI_OK;
}

static void requested(uint8_t **ret_buffer, size_t *ret_bytes, size_t *ret_records)
{
	*ret_bytes = their_bytes;
	*ret_records = step % 3;
	*ret_buffer = their_bytes ? malloc(their_bytes) : NULL;
	their_open += *ret_buffer != NULL;
}

static void completed(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid)
{
	(void)context;
	(void)stream;
	if (valid > bytes || bytes != their_bytes || !their_open)
		abort();
	for (size_t i = 0; i < valid; i++)
		sum += buffer[i];
	their_valid += valid;
	their_open--;
	free(buffer);
}

static cupti_result timestamp(uint64_t *ret_ns)
{
	*ret_ns = 1790000000000000000u;
	return CUPTI_OK;
}

static uint64_t their_clock(void)
{
	return 5000000000u;
}

static void fuzz_record(const struct gpu_moment *moment, const uint8_t *record, size_t bytes)
{
	struct gpu_record r;
	uint64_t duration;
	int64_t ago;

	if (!gpu_record_read(record, bytes, &r))
		return;
	if (r.fields > EVT_FIELDS_MAX)
		abort();
	for (unsigned int i = 0; i < r.fields; i++)
		sum += r.field[i];
	if (gpu_moment_place(moment, r.start_ns, r.end_ns, &ago, &duration) &&
	    (r.end_ns < r.start_ns || duration > 90000000000000u || ago < -1100000000))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gpu_moment moment;
	uint8_t *buffer;

	if (size < 3)
		return 0;
	step = data[0];
	their_bytes = data[1] * 4u;
	wanted = data[2];
	data += 3;
	size -= 3;
	buffer = malloc(size + 1);
	memcpy(buffer, data, size);
	clock_init();
	if (wanted & 1)
		gpu_clock_prepare(timestamp), gpu_clock_follow(their_clock);
	(void)gpu_moment_look(&moment, timestamp);
	for (size_t at = 0; at < size; at += step ? step : 8)
		fuzz_record(&moment, buffer + at, size - at);
	their_valid = 0;
	gpu_copy_register(requested, completed);
	for (uint32_t kind = 0; kind < CUPTI_KINDS + 2; kind++)
		gpu_copy_kind(kind, (kind & wanted) != 0);
	gpu_copy_take(NULL, 0, buffer, size, next_record);
	gpu_copy_flush();
	if (their_open || their_valid > size)
		abort();
	free(buffer);
	return 0;
}
