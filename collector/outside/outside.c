/* SPDX-License-Identifier: MIT */
/* cases: sample_outside */
/*
 * The layout of the interpreter cannot be checked on frames that are known, as the library does
 * from inside. Instead the sampler reads nothing but what its chain of checks allows: a code object
 * must have the type that PyCode_Type is.
 */
#include "collector/outside/outside.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/format/events.h"
#include "collector/outside/python_find.h"
#include "collector/region/python_layout.h"

#define REGION_BUFFER_BYTES (4ull << 20) /* nobody uses its rings */
#define TID_OFFSET_MAX 4096u             /* glibc's struct pthread is shorter */

static uint64_t outside_clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * Where struct pthread has the thread's id, found in this process: the program has most likely the
 * same C library. 0: not found.
 */
static unsigned int tid_offset_here(void)
{
	const char *self = (const char *)(uintptr_t)pthread_self();
	int32_t tid = (int32_t)syscall(SYS_gettid);

	for (unsigned int offset = 64; offset < TID_OFFSET_MAX / 2; offset += sizeof(tid)) {
		int32_t word;

		memcpy(&word, self + offset, sizeof(word));
		if (word == tid)
			return offset;
	}
	return 0;
}

static void header_fill(struct region_header *h, uint64_t bytes, const struct outside_wish *wish)
{
	h->version = REGION_VERSION;
	h->clock = REGION_CLOCK_MONOTONIC;
	h->bytes = bytes;
	h->keep = 3;
	h->place = 1u << REGION_PLACE_OUTPUT | 1u << REGION_PLACE_FIRST;
	h->families = EVT_FAMILY_LIMIT;
	h->family[EVT_FAMILY_native_samples] = wish->hz;
	h->base_mono = outside_clock_ns(CLOCK_MONOTONIC);
	h->base_real = outside_clock_ns(CLOCK_REALTIME);
	h->base_tsc = h->base_mono;
	snprintf(h->session, sizeof(h->session), "outside-%u-%llx", wish->pid,
		 (unsigned long long)h->base_real);
	snprintf(h->output, sizeof(h->output), "%s", wish->output);
	snprintf(h->trace, sizeof(h->trace), "native-samples");
	snprintf(h->version_text, sizeof(h->version_text), "%s", INTERCEPT_VERSION);
	h->magic = REGION_MAGIC;
}

static void entry_tell_python(struct outside *outside, const struct outside_wish *wish)
{
	struct region_process *entry = outside->entry;
	struct python_word word = { .hz = wish->hz, .standing = PYTHON_STANDS_CHECKED };
	struct python_found found;

	outside->has_python = python_find(wish->pid, &found);
	if (!outside->has_python)
		return;
	word.minor = found.minor;
	word.tid_offset = tid_offset_here();
	atomic_store(&entry->python_runtime, found.runtime);
	atomic_store(&entry->python_code_type, found.code_type);
	/* it has no gates; these words are never all 0, so it counts as one whose gates are open */
	atomic_store(&entry->gates, found.runtime);
	atomic_store(&entry->python, python_word_pack(&word));
}

int outside_begin(struct outside *outside, const struct outside_wish *wish)
{
	uint64_t bytes = region_bytes_of(REGION_BUFFER_BYTES);
	struct region_shape shape;
	void *map;

	if (region_shape_of(bytes, &shape))
		return -EINVAL;
	map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return -errno;
	*outside = (struct outside){ .header = map,
				     .entry = region_processes(map, &shape),
				     .bytes = bytes };
	header_fill(map, bytes, wish);
	outside->entry->pid = wish->pid;
	outside->entry->parent = REGION_NO_PARENT;
	outside->entry->start_tsc = outside->header->base_tsc;
	atomic_store(&outside->entry->serial, 1);
	atomic_store(&outside->entry->exit_status, REGION_STATUS_UNKNOWN);
	atomic_store(&outside->header->process_limit, 1);
	entry_tell_python(outside, wish);
	atomic_store(&outside->entry->state, REGION_PROCESS_LIVE);
	return 0;
}

void outside_end(struct outside *outside)
{
	uint32_t live = REGION_PROCESS_LIVE;

	atomic_store(&outside->entry->exit_tsc, outside_clock_ns(CLOCK_MONOTONIC));
	(void)atomic_compare_exchange_strong(&outside->entry->state, &live, REGION_PROCESS_EXITING);
}
