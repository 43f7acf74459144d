/* SPDX-License-Identifier: MIT */
/* Adds up imports by package, and how far they delay the first step. */
#include "report/advice/import_evidence.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/map.h"
#include "report/base/memory.h"

static bool is_torch(const struct source *source, uint32_t name)
{
	size_t length;
	const char *text = name_text(source_name_at(source, name), &length);

	return (length == 5 || (length > 5 && text[5] == '.')) && !memcmp(text, "torch", 5);
}

static struct import_thread *import_evidence_thread_at(struct import_evidence *evidence,
						       uint32_t index)
{
	evidence->thread = memory_room(evidence->thread, index, &evidence->thread_room,
				       sizeof(*evidence->thread));
	return &evidence->thread[index];
}

static uint32_t import_keep(struct import_evidence *evidence, const struct import_seen *seen)
{
	if (evidence->count >= IMPORT_EVIDENCE_MAX) {
		evidence->beyond++;
		return IMPORT_NONE;
	}
	evidence->seen = memory_room(evidence->seen, evidence->count, &evidence->room,
				     sizeof(*evidence->seen));
	evidence->seen[evidence->count] = *seen;
	return (uint32_t)evidence->count++;
}

static bool is_main_thread(const struct source_event *event)
{
	return event->thread->tid == event->process->pid;
}

static void import_evidence_take_begin(void *state, const struct source_event *event, bool counts)
{
	const struct evt_import_begin *begin = EVENT_AS(import_begin, &event->event);
	struct import_evidence *evidence = state;
	struct import_thread *thread = import_evidence_thread_at(evidence, event->thread->index);
	uint32_t module = event_name(evidence->source, event, begin->module);
	struct import_open open = { .start_ns = event->event.time_ns, .seen = IMPORT_NONE };

	open.is_of_torch = is_torch(evidence->source, module) ||
			   (thread->count && thread->open[thread->count - 1].is_of_torch);
	if (counts && is_main_thread(event))
		open.seen = import_keep(
			evidence, &(struct import_seen){
					  .start_ns = event->event.time_ns,
					  .process = event->process->index,
					  .module = module,
					  .file = event_name(evidence->source, event, begin->file),
					  .line = (uint32_t)begin->line,
					  .is_of_torch = open.is_of_torch,
				  });
	thread->open = memory_room(thread->open, thread->count, &thread->room,
				   sizeof(*thread->open));
	thread->open[thread->count++] = open;
}

static void import_evidence_take_end(void *state, const struct source_event *event, bool counts)
{
	struct import_evidence *evidence = state;
	struct import_thread *thread = import_evidence_thread_at(evidence, event->thread->index);
	const struct import_open *open;
	uint64_t total_ns;

	(void)counts;
	if (!thread->count)
		return;
	open = &thread->open[--thread->count];
	total_ns = event->event.time_ns - open->start_ns;
	if (thread->count)
		thread->open[thread->count - 1].children_ns += total_ns;
	if (open->seen == IMPORT_NONE)
		return;
	evidence->seen[open->seen].end_ns = event->event.time_ns;
	evidence->seen[open->seen].self_ns = total_ns > open->children_ns
						     ? total_ns - open->children_ns
						     : 0;
}

static void import_evidence_start(void *state, struct run *run, const void *options)
{
	(void)options;
	((struct import_evidence *)state)->source = run_source(run);
	run_reads(run, EVT_import_begin, FIELDS_ALL, import_evidence_take_begin, state);
	run_reads(run, EVT_import_end, 0, import_evidence_take_end, state);
	run_seeks(run, state);
}

/* Open imports have no end, so their time is not known. */
static void import_evidence_cut(void *state, const struct cut *cut)
{
	if (cut->thread)
		import_evidence_thread_at(state, cut->thread->index)->count = 0;
}

static void import_evidence_release(void *state)
{
	struct import_evidence *evidence = state;

	for (size_t i = 0; i < evidence->thread_room; i++)
		free(evidence->thread[i].open);
	free(evidence->thread);
	free(evidence->seen);
}

const struct analysis_kind analysis_import_evidence = {
	.name = "import evidence",
	.state_bytes = sizeof(struct import_evidence),
	.options_bytes = sizeof(struct import_evidence_options),
	.start = import_evidence_start,
	.cut = import_evidence_cut,
	.release = import_evidence_release,
};

/* --- once all is read --- */

static int by_time(const void *a, const void *b)
{
	const struct import_package *left = a, *right = b;

	if (left->self_ns != right->self_ns)
		return left->self_ns > right->self_ns ? -1 : 1;
	return left->first < right->first ? -1 : left->first > right->first;
}

static bool import_is_of(const struct import_seen *seen, uint32_t process, uint64_t until_ns)
{
	return seen->process == process && !seen->is_of_torch && seen->end_ns &&
	       seen->end_ns <= until_ns;
}

struct packages {
	struct import_package *package;
	size_t count, room;
	struct map map;
};

static void package_add(struct packages *packages, const struct source *source,
			const struct import_seen *seen)
{
	size_t length;
	const char *text = name_text(source_name_at(source, seen->module), &length),
		   *point = memchr(text, '.', length);
	struct map_entry *entry;
	bool added;

	length = point ? (size_t)(point - text) : length;
	entry = map_put(&packages->map, map_hash_bytes(text, length, 0), &added);
	if (added) {
		packages->package = memory_room(packages->package, packages->count, &packages->room,
						sizeof(*packages->package));
		packages->package[packages->count] = (struct import_package){ .first = seen,
									      .name = text,
									      .length = length };
		entry->value = packages->count++;
	}
	packages->package[entry->value].self_ns += seen->self_ns;
}

struct import_package *import_packages(const struct import_evidence *evidence, uint32_t process,
				       uint64_t until_ns, size_t *ret_count, uint64_t *ret_ns)
{
	struct packages packages = { 0 };

	*ret_ns = 0;
	for (size_t i = 0; i < evidence->count; i++) {
		const struct import_seen *seen = &evidence->seen[i];

		if (!import_is_of(seen, process, until_ns))
			continue;
		*ret_ns += seen->self_ns;
		package_add(&packages, evidence->source, seen);
	}
	map_release(&packages.map);
	if (packages.count)
		qsort(packages.package, packages.count, sizeof(*packages.package), by_time);
	*ret_count = packages.count;
	return packages.package;
}

uint32_t import_evidence_process(const struct import_evidence *evidence)
{
	uint32_t most = IMPORT_NONE;
	uint64_t most_ns = 0, *ns = NULL;
	size_t room = 0;

	for (size_t i = 0; i < evidence->count; i++) {
		const struct import_seen *seen = &evidence->seen[i];

		if (!import_is_of(seen, seen->process, UINT64_MAX))
			continue;
		ns = memory_room(ns, seen->process, &room, sizeof(*ns));
		ns[seen->process] += seen->self_ns;
		if (ns[seen->process] > most_ns) {
			most = seen->process;
			most_ns = ns[most];
		}
	}
	free(ns);
	return most;
}
