/* SPDX-License-Identifier: MIT */
/* A recording of samples of Python, made by hand, and what the analyses make of it. */
#ifndef TESTS_UNIT_SAMPLES_RECORDING_H
#define TESTS_UNIT_SAMPLES_RECORDING_H

#include "report/samples/gil_events.h"
#include "report/samples/lines.h"
#include "report/samples/source_text.h"
#include "report/stacks/stack_source.h"
#include "report/summary/summary.h"
#include "tests/unit/cuda_recording.h"
#include "tests/unit/recording_source.h"

#define MS 1000000ull

static struct cuda_recording c;
static struct source *source;
static struct run *run;
static struct samples *samples;
static struct gil *gil;
static struct lines lines;

static const struct filter_settings plain = { .pid = FILTER_NO_ID,
					      .tid = FILTER_NO_ID,
					      .to_ns = UINT64_MAX };

static inline void start(void)
{
	cuda_recording_start(&c, 1);
}

static inline void define_code(uint64_t id, const char *function, uint64_t line)
{
	FRAME_PUT(c.r.fw, 1, python_code, .id = id, .function = cuda_recording_name(&c, function),
		  .file = cuda_recording_name(&c, "/src/made.py"), .line = line);
}

static inline void define_place(uint64_t id, uint64_t from, uint64_t code, uint64_t line)
{
	FRAME_PUT(c.r.fw, 1, python_place, .id = id, .from = from, .code = code, .line = line);
}

/* main (line 1) calls work (line 11) and waits (line 2); work calls itself. */
static inline void define_all(void)
{
	frame_begin_block(c.r.fw, 0);
	define_code(1, "main", 1);
	define_code(2, "work", 10);
	define_place(1, 0, 1, 2);
	define_place(2, 0, 1, 3);
	define_place(3, 2, 2, 11);
	define_place(4, 3, 2, 11);
	frame_end_block(c.r.fw);
}

static inline void sample(uint64_t time_ns, uint64_t place, uint64_t state, uint64_t cpu_us)
{
	FRAME_PUT(c.r.fw, time_ns, python_sample, .place = place, .state = state, .cpu_us = cpu_us,
		  .looks = 1);
}

static inline void read_as(struct filter_settings options)
{
	cuda_recording_finish(&c, 10000 * MS);
	source = recording_source(&c.r);
	run = run_new(source, &options);
	samples = samples_want(run, &(struct samples_options){ .by = BY_lines_line });
	gil = gil_want(run, NULL);
	run_read(run, false);
}

static inline void finish(void)
{
	lines_release(&lines);
	lines = (struct lines){ 0 };
	run_free(run);
	source_close(source);
	cuda_recording_release(&c);
}

#endif
