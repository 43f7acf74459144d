/* SPDX-License-Identifier: MIT */
/* What the collector has said of each file's machine. */
#include "report/advice/machine.h"

#include <stdlib.h>
#include <string.h>

#define DIGITS 16
#define LIFE_NS_MIN 3000000000u /* CPU times of processes are reported every half second */

unsigned long machine_cores(const struct bottleneck *bottleneck)
{
	const struct source_meta *meta;
	size_t count = source_metas(bottleneck->source, &meta);
	unsigned long cores = 0;

	for (size_t i = 0; i < count; i++) {
		char digits[DIGITS] = "";
		unsigned long told;

		if (!meta[i].key->text || strcmp(meta[i].key->text, "cores") ||
		    !meta[i].value->text || meta[i].value->length >= DIGITS)
			continue;
		memcpy(digits, meta[i].value->text, meta[i].value->length);
		told = strtoul(digits, NULL, 10);
		if (cores && told != cores)
			return 0;
		cores = told;
	}
	return cores;
}

bool machine_is_one(const struct bottleneck *bottleneck)
{
	struct source_file *const *file;
	size_t count = source_files(bottleneck->source, &file);

	for (size_t i = 1; i < count; i++)
		if (!file[i]->host || !file[0]->host || strcmp(file[i]->host, file[0]->host))
			return false;
	return true;
}

/* --- its CPUs --- */

static const struct source_thread *machine_thread_of(const struct source_process *process)
{
	const struct source_thread *thread = process ? process->first_thread : NULL;

	while (thread && thread->tid != process->pid)
		thread = thread->next;
	return thread;
}

bool machine_main_thread(const struct bottleneck *bottleneck, struct machine_thread *ret_thread)
{
	const struct source_thread *thread = machine_thread_of(bottleneck->process);

	if (!thread || !thread->cpu.is_looked || !machine_is_one(bottleneck) ||
	    bottleneck->limited || run_filters(bottleneck->run)->any ||
	    thread->end_ns < thread->start_ns + LIFE_NS_MIN)
		return false;
	*ret_thread = (struct machine_thread){
		.life_ns = thread->end_ns - thread->start_ns,
		.runnable_ns = thread->cpu.runnable_ns - thread->cpu.first_runnable_ns,
	};
	if (thread->cpu.is_known && thread->cpu.last_ns > thread->cpu.start_ns)
		ret_thread->running_ns = thread->cpu.last_ns - thread->cpu.start_ns;
	return ret_thread->runnable_ns <= ret_thread->life_ns;
}
