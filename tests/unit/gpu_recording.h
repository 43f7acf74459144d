/* SPDX-License-Identifier: MIT */
/*
 * A recording with work of a GPU, in memory (cuda_recording.h), and the run that reads it: one of
 * each a test program. start(), events, close_recording(); then open_run(), what the test wants of
 * it, run_read(run, false); release().
 */
#ifndef TESTS_UNIT_GPU_RECORDING_H
#define TESTS_UNIT_GPU_RECORDING_H

#include "report/core/analysis.h"
#include "tests/unit/cuda_recording.h"
#include "tests/unit/recording_source.h"

#ifndef LAUNCH_NS
#define LAUNCH_NS 5 /* what a launch of the host takes */
#endif

static struct cuda_recording c;
static struct source *source;
static struct run *run;

static const struct filter_settings plain = { .pid = FILTER_NO_ID,
					      .tid = FILTER_NO_ID,
					      .to_ns = UINT64_MAX };

static inline uint64_t name(const char *text)
{
	return cuda_recording_name(&c, text);
}

/* What follows is of stream 1, the first thread of the first process. */
static inline void start(unsigned int processes)
{
	cuda_recording_start(&c, processes);
	frame_begin_block(c.r.fw, 1);
}

static inline void on_stream(uint32_t stream)
{
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, stream);
}

static inline void launch(uint64_t time_ns, uint64_t correlation)
{
	CUDA_PUT(&c, time_ns, cuda_launch, "cudaLaunchKernel", LAUNCH_NS, .kernel = name("k"),
		 .correlation = correlation);
}

/* A kernel of the name `called`, of which CUPTI told at `told_ns`. */
#define KERNEL_PUT(told_ns, begin_ns, took_ns, of, called, ...)                             \
	FRAME_PUT(c.r.fw, told_ns, gpu_kernel, .ago_ns = (int64_t)((told_ns) - (begin_ns)), \
		  .duration_ns = (took_ns), .correlation = (of), .kernel = name(called),    \
		  ##__VA_ARGS__)

static inline void close_recording(uint64_t end_ns)
{
	frame_end_block(c.r.fw);
	cuda_recording_finish(&c, end_ns);
}

/* NULL: all of it. May be called again after close_run(). */
static inline void open_run(const struct filter_settings *filter)
{
	source = recording_source(&c.r);
	run = run_new(source, filter ? filter : &plain);
}

static inline void close_run(void)
{
	run_free(run);
	source_close(source);
}

static inline void release(void)
{
	close_run();
	cuda_recording_release(&c);
}

#endif
