/* SPDX-License-Identifier: MIT */
/*
 * A process has one bit for each line of limitations.def. Processes with the same limitation and
 * subject are reported together, at the first of them.
 */
#include "report/session/limitations.h"

#include <string.h>

#include "collector/format/events.h"
#include "collector/format/limitations.h"

static const struct {
	const char *id, *sentence;
	enum evt_family family;
} limitations[LIMITATIONS] = {
#define LIMITATION(name, family, sentence) { #name, sentence, EVT_FAMILY_##family },
#include "collector/format/limitations.def"
};

void limitation_add(struct source_process *process, const struct source_name *key,
		    const struct source_name *value)
{
	for (unsigned int i = 0; i < LIMITATIONS && key->text; i++) {
		if (strcmp(key->text, limitations[i].id) != 0)
			continue;
		process->limitations |= 1ull << i;
		if (value->text && strcmp(value->text, LIMITATION_NO_SUBJECT) != 0)
			process->limitation_subject[i] = value;
	}
}

bool limitation_hides_heap(const struct source_process *process)
{
	return process->limitations &
	       (1ull << LIMITATION_heap_preloaded | 1ull << LIMITATION_heap_own);
}

static bool limitations_is_same(const struct source_process *a, const struct source_process *b,
				unsigned int i)
{
	return a->limitations & b->limitations & 1ull << i &&
	       a->limitation_subject[i] == b->limitation_subject[i];
}

static void tell_of(const struct source *source, unsigned int i,
		    void (*put)(void *context, const struct limitation_told *told), void *context)
{
	struct source_process *const *process;
	size_t count = source_processes(source, &process);

	for (size_t at = 0; at < count; at++) {
		struct limitation_told told = { limitations[i].id, limitations[i].sentence,
						process[at]->limitation_subject[i], process[at],
						0 };
		bool is_first = process[at]->limitations >> i & 1;

		for (size_t before = 0; before < at && is_first; before++)
			is_first = !limitations_is_same(process[before], process[at], i);
		for (size_t other = at; other < count && is_first; other++)
			told.processes += limitations_is_same(process[other], process[at], i);
		if (is_first)
			put(context, &told);
	}
}

void limitations_tell(const struct source *source, uint64_t families,
		      void (*put)(void *context, const struct limitation_told *told), void *context)
{
	for (unsigned int i = 0; i < LIMITATIONS; i++)
		if (families >> limitations[i].family & 1)
			tell_of(source, i, put, context);
}

const char *limitation_sentence(enum limitation what)
{
	return limitations[what].sentence;
}

bool limitation_concerns(const struct source_process *process, uint64_t families)
{
	for (unsigned int i = 0; process->limitations >> i; i++)
		if (process->limitations >> i & families >> limitations[i].family & 1)
			return true;
	return false;
}

bool limitations_concern(const struct source *source, uint64_t families)
{
	struct source_process *const *process;
	size_t count = source_processes(source, &process);

	for (size_t at = 0; at < count; at++)
		if (limitation_concerns(process[at], families))
			return true;
	return false;
}
