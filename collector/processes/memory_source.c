/* SPDX-License-Identifier: MIT */
/* Resident memory as a source (core/source.h): see memory_samples.h. */
#include "collector/core/source.h"
#include "collector/processes/memory_samples.h"

struct memory_source {
	struct source_context context;
	struct memory_samples samples;
};

static void memory_source_init(void *state, const struct source_context *context)
{
	((struct memory_source *)state)->context = *context;
}

static void memory_source_look(void *state, uint64_t steady_ns)
{
	struct memory_source *source = state;

	memory_samples_take(&source->samples, source->context.processes, source->context.common,
			    steady_ns);
}

const struct collector_source source_memory_samples = {
	.state_bytes = sizeof(struct memory_source),
	.init = memory_source_init,
	.look = memory_source_look,
};
