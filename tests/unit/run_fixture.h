/* SPDX-License-Identifier: MIT */
/*
 * A recording in memory that analyses are run over. A test writes events between recording_begin()
 * and recording_open(), asks for its analyses, and calls recording_read(). A test with a selection
 * of its own calls recording_end() and makes the run itself. One at a time.
 */
#ifndef TESTS_UNIT_RUN_FIXTURE_H
#define TESTS_UNIT_RUN_FIXTURE_H

#include "report/core/analysis.h"
#include "tests/unit/cuda_recording.h"
#include "tests/unit/recording_source.h"

#define END_NS 1000000u /* when the recording ends */

static struct cuda_recording c;
static struct source *source;
static struct run *run;

static inline struct frame_writer *recording_begin(unsigned int processes)
{
	cuda_recording_start(&c, processes);
	frame_begin_block(c.r.fw, 1);
	return c.r.fw;
}

static inline void on_stream(uint32_t stream)
{
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, stream);
}

static inline uint64_t name_of(const char *text)
{
	return cuda_recording_name(&c, text);
}

static const struct filter_settings recording_whole = { .pid = FILTER_NO_ID,
							.tid = FILTER_NO_ID,
							.to_ns = UINT64_MAX };

static inline void recording_end(uint64_t end_ns)
{
	frame_end_block(c.r.fw);
	cuda_recording_finish(&c, end_ns);
	source = recording_source(&c.r);
}

static inline void recording_open(void)
{
	recording_end(END_NS);
	run = run_new(source, &recording_whole);
}

static inline void recording_read(void)
{
	run_read(run, false);
}

static inline void recording_close(void)
{
	run_free(run);
	source_close(source);
	cuda_recording_release(&c);
}

#endif
