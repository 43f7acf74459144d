/* SPDX-License-Identifier: MIT */
/*
 * The sources (collector/families.def) and their state. Each function here calls the function of
 * that name of every source that has one. One thread.
 */
#ifndef COLLECTOR_TURN_SOURCES_H
#define COLLECTOR_TURN_SOURCES_H

#include "collector/core/source.h"

enum {
#define SOURCE(name) SOURCE_##name,
#include "collector/families.def"
	SOURCES
};

struct sources {
	void *state[SOURCES]; /* all of them, or none if there was no memory */
};

/* Returns 0, or -1 if there is no memory: then only sources_release() may be called. */
int sources_init(struct sources *sources, const struct source_context *context);
void sources_release(struct sources *sources);

void sources_look(struct sources *sources, uint64_t steady_ns);
/* Only sources whose time has come. */
void sources_look_due(struct sources *sources, uint64_t steady_ns);
/* The earliest due time of all sources; 0: none. */
uint64_t sources_due_ns(const struct sources *sources);
uint64_t sources_pause_ns(const struct sources *sources, uint64_t most_ns);

void sources_process_leaves(struct sources *sources, const struct process *process,
			    uint64_t now_ns);
void sources_drain(struct sources *sources);
bool sources_are_pending(const struct sources *sources);
void sources_settle(struct sources *sources, uint64_t watermark_ns);
void sources_finish(struct sources *sources);
bool sources_restate(const struct sources *sources, struct frame_writer *fw);
uint32_t sources_write(struct sources *sources, struct frame_writer *fw, uint64_t watermark_ns);

#endif
