/* SPDX-License-Identifier: MIT */
/* links: preload:gpu/gpu_copy.c */
/* Records for the other user of CUPTI: what it cannot be given is counted. */
#include "tests/unit/unit.h"
#include "tests/unit/plain_clock.h"
#include "preload/gpu/gpu.h"
#include "preload/gpu/gpu_copy.h"
#include "preload/gpu/gpu_share.h"

#define DEEP 20u /* more than threads copy at once */
#define BUFFERS 16u

uint32_t gpu_last_correlation(void)
{
	return 0;
}

bool gpu_share_wants(enum gpu_user who, uint32_t kind)
{
	(void)who;
	(void)kind;
	return false;
}

static uint32_t ours[4] = { 1000 }; /* a kind that only the other asks for */
static uint8_t theirs[DEEP][64];
static unsigned int depth, got;

static cupti_result next(uint8_t *buffer, size_t bytes, void **record)
{
	(void)bytes;
	if (*record)
		return CUPTI_NOT_INITIALISED;
	*record = buffer;
	return CUPTI_OK;
}

static void copy_one(void)
{
	gpu_copy_take(NULL, 0, (uint8_t *)ours, sizeof(ours), next);
}

/* A copy within a copy stands for one of another thread. */
static void requested(uint8_t **buffer, size_t *bytes, size_t *records)
{
	unsigned int at = depth++;

	if (depth < DEEP)
		copy_one();
	*buffer = theirs[at];
	*bytes = sizeof(theirs[at]);
	*records = 0;
}

static void completed(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid)
{
	(void)context;
	(void)stream;
	(void)buffer;
	assert_int_equal(bytes, sizeof(theirs[0]));
	got += (unsigned int)(valid / sizeof(ours));
}

TEST(too_many_at_once)
{
	gpu_copy_register(requested, completed);
	copy_one();
	gpu_copy_flush();
	assert_int_equal(depth, BUFFERS);
	assert_int_equal(got, BUFFERS);
	assert_int_equal(gpu_copy_take_dropped(), 1);
	assert_int_equal(gpu_copy_take_dropped(), 0);
}
