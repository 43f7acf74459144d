/* SPDX-License-Identifier: MIT */
/* Native stacks as a source (core/source.h): see native.h. */
#include "collector/core/source.h"
#include "collector/native/native.h"

static void native_source_init(void *state, const struct source_context *context)
{
	native_init(state, context->common, context->processes, context->stream_numbers);
}

static void native_source_release(void *state)
{
	native_release(state);
}

static void native_source_look(void *state, uint64_t steady_ns)
{
	native_take(state, steady_ns);
}

static uint64_t native_source_pause_ns(const void *state, uint64_t most_ns)
{
	return native_pause_ns(state, most_ns);
}

static void native_source_drain(void *state)
{
	native_drain(state);
}

static bool native_source_is_pending(const void *state)
{
	return ((const struct native *)state)->waiting_count != 0;
}

static void native_source_settle(void *state, uint64_t watermark_ns)
{
	native_settle(state, watermark_ns);
}

static uint32_t native_source_write(void *state, struct frame_writer *fw, uint64_t watermark_ns)
{
	return native_write(state, fw, watermark_ns);
}

const struct collector_source source_native_samples = {
	.state_bytes = sizeof(struct native),
	.init = native_source_init,
	.release = native_source_release,
	.look = native_source_look,
	.pause_ns = native_source_pause_ns,
	.drain = native_source_drain,
	.is_pending = native_source_is_pending,
	.settle = native_source_settle,
	.write = native_source_write,
};
