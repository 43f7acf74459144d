/* SPDX-License-Identifier: MIT */
/*
 * CUDA calls for a recording in memory (recording.h): names defined as they are used, one line a
 * call.
 */
#ifndef TESTS_UNIT_CUDA_RECORDING_H
#define TESTS_UNIT_CUDA_RECORDING_H

#include <stdio.h>

#include "tests/unit/recording.h"

/*
 * Names in use; ids are numbers from 1, and texts stand in stream 0 of the frame they are closed
 * with.
 */
struct cuda_recording {
	struct recording r;
	char **name;
	uint64_t names, named;
};

static const struct file_header cuda_recording_header = { .version = FILE_VERSION,
							  .base_mono = 5000,
							  .pid = 100,
							  .session = "session",
							  .host = "host" };

static inline uint64_t cuda_recording_name(struct cuda_recording *c, const char *text)
{
	for (uint64_t i = c->names > 200 ? c->names - 200 : 0; i < c->names; i++)
		if (!strcmp(c->name[i], text))
			return i + 1;
	c->name = realloc(c->name, (c->names + 1) * sizeof(*c->name));
	c->name[c->names++] = strdup(text);
	return c->names;
}

/* Process `pid` is number pid - 99, thread 1 of it stream number * 2 - 1, thread 2 the next. */
static inline void cuda_recording_start(struct cuda_recording *c, unsigned int processes)
{
	*c = (struct cuda_recording){ .names = 0 };
	recording_start(&c->r, &cuda_recording_header);
	frame_begin_block(c->r.fw, 0);
	for (unsigned int i = 0; i < processes; i++) {
		FRAME_PUT(c->r.fw, 0, process, .process = i + 1, .pid = 100 + i, .parent = i);
		FRAME_PUT(c->r.fw, 0, thread, .stream = 2 * i + 1, .process = i + 1,
			  .tid = 100 + i);
		FRAME_PUT(c->r.fw, 0, thread, .stream = 2 * i + 2, .process = i + 1,
			  .tid = 200 + i);
	}
	frame_end_block(c->r.fw);
}

static inline void cuda_recording_finish(struct cuda_recording *c, uint64_t end_ns)
{
	frame_begin_block(c->r.fw, 0);
	for (; c->named < c->names; c->named++) {
		if (!frame_block_room(c->r.fw)) {
			frame_end_block(c->r.fw);
			frame_begin_block(c->r.fw, 0);
		}
		FRAME_PUT(c->r.fw, end_ns, string, .id = c->named + 1,
			  .text = { (uintptr_t)c->name[c->named], strlen(c->name[c->named]) });
	}
	frame_end_block(c->r.fw);
	recording_close_frame(&c->r, end_ns);
	recording_finish(&c->r, end_ns);
}

static inline void cuda_recording_release(struct cuda_recording *c)
{
	for (uint64_t i = 0; i < c->names; i++)
		free(c->name[i]);
	free(c->name);
	recording_release(&c->r);
}

#define CUDA_PUT(c, time_ns, event, called, took, ...)                                   \
	FRAME_PUT((c)->r.fw, time_ns, event, .function = cuda_recording_name(c, called), \
		  .duration_ns = (took), __VA_ARGS__)

#endif
