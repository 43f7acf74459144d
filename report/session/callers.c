/* SPDX-License-Identifier: MIT */
/*
 * The place of an allocation as text: finds the module of the address at that time and writes its
 * file name and the offset.
 */
#include "report/session/callers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/map.h"

/*
 * Returns the module at that time, else the one that appeared soonest afterwards: the collector
 * sees a mapping some time after the program has begun to use it.
 */
const struct source_module *caller_module(const struct source_process *process, uint64_t address,
					  uint64_t time_ns)
{
	const struct source_module *module = source_module_at(process, address, time_ns);

	for (size_t i = 0; !module && i < process->module_count; i++) {
		const struct source_module *candidate = process->module[i];

		if (address - candidate->start < candidate->bytes && candidate->from_ns >= time_ns)
			module = candidate;
	}
	return module;
}

struct caller caller_of(struct text_store *texts, const struct source_process *process,
			uint64_t address, uint64_t time_ns)
{
	const struct source_module *module = caller_module(process, address, time_ns);
	const char *path, *name;
	struct caller caller;
	const struct source_python_line *line = source_python_line(process, address);

	if (line) {
		path = source_name_text(line->file);
		name = strrchr(path, '/');
		caller.text = text_store_format(texts, "%s (%s:%" PRIu32 ")",
						source_name_text(line->function),
						name && name[1] ? name + 1 : path, line->line);
		caller.identity = map_hash_bytes(&address, sizeof(address), 0);
		return caller;
	}
	if (!module) {
		caller.text = address ? text_store_format(texts, "0x%" PRIx64, address)
				      : "(unknown)";
		caller.identity = map_hash_bytes(&address, sizeof(address), 0);
		return caller;
	}
	path = source_name_text(module->path);
	name = strrchr(path, '/');
	name = name && name[1] ? name + 1 : path;
	address -= module->bias;
	caller.text = text_store_format(texts, "%s+0x%" PRIx64, name, address);
	caller.identity = map_hash_bytes(path, strlen(path), address);
	return caller;
}

void caller_memo_init(struct caller_memo *memo)
{
	*memo = (struct caller_memo){ .caller = NULL };
	map_init(&memo->known);
}

void caller_memo_release(struct caller_memo *memo)
{
	map_release(&memo->known);
	free(memo->caller);
}

static size_t memo_add(struct caller_memo *memo, const struct caller *caller)
{
	memo->caller = memory_room(memo->caller, memo->count, &memo->room, sizeof(*memo->caller));
	memo->caller[memo->count++] = *caller;
	return memo->count;
}

struct caller caller_memo_of(struct caller_memo *memo, struct text_store *texts,
			     const struct source_process *process, uint64_t address,
			     uint64_t time_ns)
{
	uint64_t words[] = { (uintptr_t)process, address };
	struct map_entry *entry;
	struct caller caller;
	bool added;

	/* before the process's start, only the time decides */
	if (!process || time_ns < process->start_ns)
		return caller_of(texts, process, address, time_ns);
	entry = map_put(&memo->known, map_hash_bytes(words, sizeof(words), 0), &added);
	if (!added && entry->value)
		return memo->caller[entry->value - 1];
	caller = caller_of(texts, process, address, time_ns);
	if (added && source_module_is_lasting(process, address))
		entry->value = memo_add(memo, &caller);
	return caller;
}
