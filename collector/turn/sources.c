/* SPDX-License-Identifier: MIT */
/*
 * The sources' descriptions are in an array in the order of collector/families.def, their states in
 * another. Each call goes over both.
 */
#include "collector/turn/sources.h"

#include <stdlib.h>

#define SOURCE(name) extern const struct collector_source source_##name;
#include "collector/families.def"

static const struct collector_source *const source_list[SOURCES] = {
#define SOURCE(name) &source_##name,
#include "collector/families.def"
};

int sources_init(struct sources *sources, const struct source_context *context)
{
	for (unsigned int i = 0; i < SOURCES; i++) {
		sources->state[i] = calloc(1, source_list[i]->state_bytes);
		if (!sources->state[i])
			return -1;
		source_list[i]->init(sources->state[i], context);
	}
	return 0;
}

void sources_release(struct sources *sources)
{
	for (unsigned int i = 0; i < SOURCES; i++) {
		if (sources->state[i] && source_list[i]->release)
			source_list[i]->release(sources->state[i]);
		free(sources->state[i]);
		sources->state[i] = NULL;
	}
}

void sources_look(struct sources *sources, uint64_t steady_ns)
{
	for (unsigned int i = 0; i < SOURCES; i++)
		source_list[i]->look(sources->state[i], steady_ns);
}

void sources_look_due(struct sources *sources, uint64_t steady_ns)
{
	for (unsigned int i = 0; i < SOURCES; i++) {
		uint64_t due_ns = source_list[i]->due_ns ? source_list[i]->due_ns(sources->state[i])
							 : 0;

		if (due_ns && due_ns <= steady_ns)
			source_list[i]->look(sources->state[i], steady_ns);
	}
}

uint64_t sources_due_ns(const struct sources *sources)
{
	uint64_t first_ns = 0;

	for (unsigned int i = 0; i < SOURCES; i++) {
		uint64_t due_ns = source_list[i]->due_ns ? source_list[i]->due_ns(sources->state[i])
							 : 0;

		if (due_ns && (!first_ns || due_ns < first_ns))
			first_ns = due_ns;
	}
	return first_ns;
}

uint64_t sources_pause_ns(const struct sources *sources, uint64_t most_ns)
{
	for (unsigned int i = 0; i < SOURCES; i++) {
		if (source_list[i]->pause_ns)
			most_ns = source_list[i]->pause_ns(sources->state[i], most_ns);
	}
	return most_ns;
}

void sources_process_leaves(struct sources *sources, const struct process *process, uint64_t now_ns)
{
	for (unsigned int i = 0; i < SOURCES; i++) {
		if (source_list[i]->process_leaves)
			source_list[i]->process_leaves(sources->state[i], process, now_ns);
	}
}

void sources_drain(struct sources *sources)
{
	for (unsigned int i = 0; i < SOURCES; i++) {
		if (source_list[i]->drain)
			source_list[i]->drain(sources->state[i]);
	}
}

bool sources_are_pending(const struct sources *sources)
{
	for (unsigned int i = 0; i < SOURCES; i++) {
		if (source_list[i]->is_pending && source_list[i]->is_pending(sources->state[i]))
			return true;
	}
	return false;
}

void sources_settle(struct sources *sources, uint64_t watermark_ns)
{
	for (unsigned int i = 0; i < SOURCES; i++) {
		if (source_list[i]->settle)
			source_list[i]->settle(sources->state[i], watermark_ns);
	}
}

void sources_finish(struct sources *sources)
{
	for (unsigned int i = 0; i < SOURCES; i++) {
		if (source_list[i]->finish)
			source_list[i]->finish(sources->state[i]);
	}
}

bool sources_restate(const struct sources *sources, struct frame_writer *fw)
{
	for (unsigned int i = 0; i < SOURCES; i++) {
		if (source_list[i]->restate && !source_list[i]->restate(sources->state[i], fw))
			return false;
	}
	return true;
}

uint32_t sources_write(struct sources *sources, struct frame_writer *fw, uint64_t watermark_ns)
{
	uint32_t count = 0;

	for (unsigned int i = 0; i < SOURCES; i++) {
		if (source_list[i]->write)
			count += source_list[i]->write(sources->state[i], fw, watermark_ns);
	}
	return count;
}
