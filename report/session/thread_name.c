/* SPDX-License-Identifier: MIT */
/* The name of a thread: its own, or for an unnamed main thread the program's. See source.h. */
#include "report/session/source.h"

#include <string.h>

void thread_name(const struct source_thread *thread, const char **ret_text, size_t *ret_length)
{
	const struct source_name *command = thread->process->command;
	const char *slash;
	size_t word;

	*ret_text = NULL;
	*ret_length = 0;
	if (thread->name && thread->name->text && thread->name->length) {
		*ret_text = thread->name->text;
		*ret_length = thread->name->length;
	} else if (thread->tid == thread->process->pid && command->text && command->length) {
		const char *space = memchr(command->text, ' ', command->length);

		word = space ? (size_t)(space - command->text) : command->length;
		slash = memrchr(command->text, '/', word);
		*ret_text = slash ? slash + 1 : command->text;
		*ret_length = word - (size_t)(*ret_text - command->text);
	}
}
