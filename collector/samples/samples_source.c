/* SPDX-License-Identifier: MIT */
/* Makes Python stacks a source of the collector (core/source.h). */
#include "collector/core/source.h"
#include "collector/samples/samples.h"

static void samples_source_init(void *state, const struct source_context *context)
{
	(void)samples_init(state, context->common, context->processes, context->stream_numbers);
}

static void samples_source_release(void *state)
{
	samples_release(state);
}

static void samples_source_look(void *state, uint64_t steady_ns)
{
	samples_take(state, steady_ns);
}

static uint64_t samples_source_due_ns(const void *state)
{
	return ((const struct samples *)state)->next_ns;
}

static bool samples_source_is_pending(const void *state)
{
	return ((const struct samples *)state)->waiting_count != 0;
}

static void samples_source_settle(void *state, uint64_t watermark_ns)
{
	samples_settle(state, watermark_ns);
}

static uint32_t samples_source_write(void *state, struct frame_writer *fw, uint64_t watermark_ns)
{
	(void)watermark_ns;
	return samples_write(state, fw);
}

static bool samples_source_restate(const void *state, struct frame_writer *fw)
{
	return samples_write_told(state, fw);
}

const struct collector_source source_python_samples = {
	.state_bytes = sizeof(struct samples),
	.init = samples_source_init,
	.release = samples_source_release,
	.look = samples_source_look,
	.due_ns = samples_source_due_ns,
	.is_pending = samples_source_is_pending,
	.settle = samples_source_settle,
	.write = samples_source_write,
	.restate = samples_source_restate,
};
