/* SPDX-License-Identifier: MIT */
/*
 * A recording in memory that analyses are run over. A test writes events between recording_begin()
 * and recording_open(), asks for its analyses, and calls recording_read(). One at a time. A test with a
 * selection of its own calls recording_end() and makes the run itself.
 */
#ifndef TESTS_UNIT_RUN_FIXTURE_H
#define TESTS_UNIT_RUN_FIXTURE_H

#include "tests/unit/unit.h"
#include "report/core/analysis.h"
#include "report/session/source_open.h"
#include "tests/unit/cuda_recording.h"

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

/* What is written so far, as `source`. */
static inline void recording_load(void)
{
	static char path[] = "run.evt";
	struct session_file file = { .path = path, .bytes = bytes_of(c.r.bytes, c.r.length) };
	char message[256];

	assert_int_equal(source_open_files(&source, &file, 1, message, sizeof(message)), 0);
}

static inline void recording_end(uint64_t end_ns)
{
	frame_end_block(c.r.fw);
	cuda_recording_finish(&c, end_ns);
	recording_load();
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
