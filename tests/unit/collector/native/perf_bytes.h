/* SPDX-License-Identifier: MIT */
/*
 * Records of perf events as the kernel writes them, made by hand, in the layout that perf_open.h
 * asks for.
 */
#ifndef TESTS_UNIT_COLLECTOR_NATIVE_PERF_BYTES_H
#define TESTS_UNIT_COLLECTOR_NATIVE_PERF_BYTES_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>

#include "collector/arch/arch.h"

struct made_record {
	uint8_t bytes[4096];
	uint16_t length;
};

static inline void made_add(struct made_record *made, const void *bytes, size_t length)
{
	memcpy(made->bytes + made->length, bytes, length);
	made->length = (uint16_t)(made->length + length);
}

static inline void made_word(struct made_record *made, uint64_t word)
{
	made_add(made, &word, sizeof(word));
}

static inline void made_halves(struct made_record *made, uint32_t low, uint32_t high)
{
	made_add(made, &low, sizeof(low));
	made_add(made, &high, sizeof(high));
}

static inline void made_begin(struct made_record *made)
{
	memset(made, 0, sizeof(*made));
	made->length = sizeof(struct perf_event_header);
}

static inline void made_end(struct made_record *made, uint32_t type, uint16_t misc)
{
	const struct perf_event_header header = { type, misc, made->length };

	memcpy(made->bytes, &header, sizeof(header));
}

/* Behind all but samples. */
static inline void made_trailer(struct made_record *made, uint32_t pid, uint32_t tid,
				uint64_t time_ns, uint64_t id)
{
	made_halves(made, pid, tid);
	made_word(made, time_ns);
	made_word(made, id);
}

static inline void made_sample(struct made_record *made, uint64_t id, uint32_t pid, uint32_t tid,
			       uint64_t time_ns, const uint64_t registers[3], const void *stack,
			       uint64_t room, uint64_t filled)
{
	made_begin(made);
	made_word(made, id);
	made_halves(made, pid, tid);
	made_word(made, time_ns);
	made_word(made, registers ? PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_NONE);
	for (int i = 0; registers && i < 3; i++) {
		made_word(made, registers[i]);
		if (ARCH_PERF_HAS_LINK && i == 0)
			made_word(made, 0x7777);
	}
	made_word(made, room);
	made_add(made, stack, room);
	if (room)
		made_word(made, filled);
	made_end(made, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
}

static inline void made_mapping(struct made_record *made, uint32_t pid, uint64_t start,
				uint64_t bytes, uint64_t offset, uint64_t inode, const char *path)
{
	char name[64] = "";

	memcpy(name, path, strlen(path) + 1);
	made_begin(made);
	made_halves(made, pid, pid);
	made_word(made, start);
	made_word(made, bytes);
	made_word(made, offset);
	made_halves(made, 8, 1);
	made_word(made, inode);
	made_word(made, 0);
	made_halves(made, 5, 2);
	made_add(made, name, sizeof(name));
	made_trailer(made, pid, pid, 900, 7);
	made_end(made, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
}

#endif
