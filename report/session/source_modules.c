/* SPDX-License-Identifier: MIT */
/* Which file was mapped where and when. The function of an address is not known here. */
#include "report/session/source_state.h"

#include "collector/format/error.h"

/* a forked child has its parent's mappings; a damaged file may contain a cycle */
#define PARENTS_LIMIT 64u

int module_define(struct file_row *file, const struct evt_module *event, uint64_t time_ns)
{
	struct source *source = file->source;
	struct source_module *module;
	struct process_row *row;
	int error = process_mention(file, event->process, time_ns, &row);

	if (error)
		return error;
	if (row->process.module_count >= SOURCE_MODULES_MAX)
		return loss_add(file,
				&(struct evt_lost){ .process = event->process,
						    .count = 1,
						    .reason = EVT_LOST_MODULES },
				time_ns);
	error = array_reserve(&row->process.module, row->process.module_count, &row->module_room,
			      sizeof(*row->process.module));
	module = error ? NULL : store_take(&source->store, sizeof(*module));
	if (!module)
		return EVT_NO_MEMORY;
	*module = (struct source_module){
		.start = event->start,
		.bytes = event->bytes,
		.bias = event->bias,
		.path = source_name_of(source, &file->file, event->path),
		.build_id = source_name_of(source, &file->file, event->build_id),
		.from_ns = time_ns,
		.to_ns = UINT64_MAX,
	};
	row->process.module[row->process.module_count++] = module;
	return EVT_OK;
}

/*
 * Ends the oldest module at the place. Its successor may be recorded before its end, because the
 * collector finds both in one look and the new one may have been there since the previous look.
 */
void module_end(struct file_row *file, const struct evt_module_end *event, uint64_t time_ns)
{
	struct process_row *row = lookup_find(&file->processes, event->process);

	for (size_t i = 0; row && i < row->process.module_count; i++) {
		struct source_module *module = row->process.module[i];

		if (module->start == event->start && module->to_ns == UINT64_MAX) {
			module->to_ns = time_ns;
			return;
		}
	}
}

/*
 * Mappings are read from time to time, so a module is seen after the first call from it. If none
 * was known to be there at that time, the first one seen there later is taken.
 */
static const struct source_module *process_find_module(const struct source_process *process,
						       uint64_t address, uint64_t time_ns)
{
	const struct source_module *later = NULL;

	for (size_t i = process->module_count; i > 0; i--) {
		const struct source_module *module = process->module[i - 1];

		if (address - module->start >= module->bytes)
			continue;
		if (module->from_ns <= time_ns && time_ns <= module->to_ns)
			return module;
		if (module->from_ns > time_ns)
			later = module;
	}
	return later;
}

const struct source_module *source_module_at(const struct source_process *process, uint64_t address,
					     uint64_t time_ns)
{
	for (unsigned int i = 0; process && i < PARENTS_LIMIT; i++) {
		const struct source_module *module = process_find_module(process, address, time_ns);

		if (module)
			return module;
		if (process->start_ns < time_ns)
			time_ns = process->start_ns;
		process = process->parent;
	}
	return NULL;
}

bool source_module_is_lasting(const struct source_process *process, uint64_t address)
{
	for (unsigned int i = 0; process && i < PARENTS_LIMIT; i++, process = process->parent) {
		const struct source_module *found = NULL;

		for (size_t at = 0; at < process->module_count; at++) {
			const struct source_module *module = process->module[at];

			if (address - module->start >= module->bytes)
				continue;
			if (found)
				return false;
			found = module;
		}
		/* until it came, it stood for the later one */
		if (found)
			return found->to_ns == UINT64_MAX;
	}
	return true;
}
