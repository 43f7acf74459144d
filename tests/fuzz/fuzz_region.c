/* SPDX-License-Identifier: MIT */
/* links: collector */
/*
 * What the collector makes of a region that a hostile or broken program has written: the input is
 * laid over the tables and the rings of a sound region, then drained in several turns and finished.
 *
 * Input: the first byte chooses how (bit 0: tables, too; bits 1 to 3: turns), the rest goes
 * a third over the ring directory, and the rest over the words of the first rings, repeated to the
 * end. No /proc, no signals: processes are not looked at. The file is in a folder of its own below
 * $TMPDIR or /tmp, and removed after each input.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "collector/turn/collector.h"
#include "collector/turn/epoch.h"
#include "collector/region/record.h"

#define REGION_BYTES (1u << 20)
#define RINGS 4u
#define RING_WORDS_USED 1024u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void *region;
static struct region_shape shape;
static char folder[256], output[300];

static void folder_remove(void)
{
	unlink(output);
	rmdir(folder);
}

static void folder_make(void)
{
	const char *temporary = getenv("TMPDIR");

	snprintf(folder, sizeof(folder), "%s/intercept-fuzz-XXXXXX",
		 temporary ? temporary : "/tmp");
	if (!mkdtemp(folder))
		abort();
	snprintf(output, sizeof(output), "%s/run.evt", folder);
	atexit(folder_remove);
}

static void region_prepare(void)
{
	struct region_header *header;

	if (!region) {
		region = mmap(NULL, REGION_BYTES, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (region == MAP_FAILED || region_shape_of(REGION_BYTES, &shape))
			abort();
		folder_make();
	}
	memset(region, 0, REGION_BYTES);
	header = region;
	header->magic = REGION_MAGIC;
	header->version = REGION_VERSION;
	header->families = EVT_FAMILY_LIMIT;
	header->clock = REGION_CLOCK_MONOTONIC;
	header->bytes = REGION_BYTES;
	header->process_limit = 2;
	header->ring_limit[0] = RINGS;
	header->place = 1;
	strcpy(header->output, output);
}

/* Two processes and RINGS rings as they should be. */
static void region_populate(void)
{
	struct region_process *process = region_processes(region, &shape);
	struct region_ring *ring = region_rings(region, &shape);

	for (unsigned int i = 0; i < 2; i++) {
		process[i].pid = 1000 + i;
		process[i].serial = 1;
		process[i].parent = i ? 0 : REGION_NO_PARENT;
		process[i].state = REGION_PROCESS_LIVE;
	}
	for (unsigned int i = 0; i < RINGS; i++) {
		ring[i].process = i % 2;
		ring[i].process_serial = 1;
		ring[i].serial = 1;
		ring[i].tid = 1000 + i;
		ring[i].state = REGION_RING_LIVE;
		ring[i].head = RING_WORDS_USED;
	}
}

static void lay(void *to, size_t room, const uint8_t *data, size_t size)
{
	for (size_t at = 0; size && at < room; at += size)
		memcpy((uint8_t *)to + at, data, room - at < size ? room - at : size);
}

/* The input over the rings' words, each ring a part of its own. */
static void region_lay_words(const uint8_t *data, size_t size)
{
	for (unsigned int i = 0; i < RINGS; i++) {
		size_t part = size / RINGS;

		lay(region_ring_words(region, &shape, 0, i), RING_WORDS_USED * sizeof(uint64_t),
		    data + i * part, part);
	}
}

/* Over the tables; flags and words that the collector itself waits on are left out. */
static void region_lay_tables(const uint8_t *data, size_t size)
{
	struct region_process *process = region_processes(region, &shape);
	struct region_ring *ring = region_rings(region, &shape);
	struct region_header *header = region;

	lay(process, 3 * sizeof(*process), data, size);
	lay(ring, RINGS * sizeof(*ring), data, size);
	lay(&header->process_limit, sizeof(*header) - offsetof(struct region_header, process_limit),
	    data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct collector c;
	unsigned int how, turns;
	size_t third;

	if (size < 2)
		return 0;
	how = data[0];
	turns = how >> 1 & 7;
	third = how & 1 ? (size - 1) / 3 : 0;
	region_prepare();
	region_populate();
	if (collector_init(&c, &(struct collector_start){ .base = region, .bytes = REGION_BYTES }))
		abort(); /* the input has not been laid over it yet */
	if (turns & 1)
		collector_turn(&c);
	region_lay_words(data + 1 + third, size - 1 - third);
	if (third)
		region_lay_tables(data + 1, third);
	for (unsigned int i = 0; i < turns && !c.finished; i++) {
		collector_turn(&c);
		if (!c.finished)
			epoch_close(&c, EPOCH_NOW);
	}
	if (!c.finished)
		collector_finish(&c);
	collector_release(&c);
	unlink(output);
	return 0;
}
