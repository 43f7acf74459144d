/* SPDX-License-Identifier: MIT */
/* A sampler that looks at one process, this one, and takes made_python.h for its memory. */
#ifndef TESTS_UNIT_COLLECTOR_SAMPLES_MADE_PROCESS_H
#define TESTS_UNIT_COLLECTOR_SAMPLES_MADE_PROCESS_H

#include <stdlib.h>
#include <unistd.h>

#include "collector/samples/samples.h"
#include "tests/unit/collector/samples/made_python.h"

#define MADE_NUMBER 7u

static struct made_process {
	struct common common;
	struct processes processes;
	struct region_process shared[REGION_PROCESSES];
	struct samples samples;
	uint32_t streams;
} looked;

static inline void made_process_say(unsigned int minor, enum python_standing standing)
{
	struct python_word word = { .minor = minor % FREE_THREADED,
				    .hz = PYTHON_HZ_MAX,
				    .tid_offset = MADE_TID_OFFSET,
				    .standing = standing };

	atomic_store(&looked.shared[0].python, python_word_pack(&word));
}

static inline void made_process_init(unsigned int minor)
{
	memset(&looked, 0, sizeof(looked));
	journal_init(&looked.common.journal);
	if (names_init(&looked.common.names, &looked.common.journal))
		abort();
	looked.common.view.process = looked.shared;
	looked.processes.inspect = true;
	looked.processes.limit = 1;
	looked.processes.slot[0] = (struct process){ .number = MADE_NUMBER,
						     .pid = (uint32_t)getpid() };
	made_process_say(minor, PYTHON_STANDS_CHECKED);
	atomic_store(&looked.shared[0].gates, made_address(MADE_GATES));
	atomic_store(&looked.shared[0].python_runtime, made_address(MADE_RUNTIME));
	atomic_store(&looked.shared[0].python_code_type, made_address(MADE_CODE_TYPE));
	if (samples_init(&looked.samples, &looked.common, &looked.processes, &looked.streams))
		abort();
	looked.samples.memory.read = made_python_read;
	looked.samples.sees_queues = false;
}

static inline void made_process_release(void)
{
	samples_release(&looked.samples);
	names_release(&looked.common.names);
	journal_release(&looked.common.journal);
}

static inline void made_process_look(unsigned int times)
{
	while (times--)
		samples_take(&looked.samples, UINT64_MAX);
}

#endif
