/* SPDX-License-Identifier: MIT */
/*
 * Programs that Python starts, found by its audit events before they are started. Only their names
 * are recorded, because arguments may be secrets. A child that calls exec is recorded by itself or
 * not at all; this event says what the parent waits for.
 */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "preload/python/listeners.h"
#include "preload/python/python_api.h"
#include "preload/record/event.h"

#define BLANKS " \t\n"
#define NO_WORD "\"'`$(){};|&<>\\#"

/* Returns an item of a sequence, to be released; NULL: there is none. */
static void *item_of(void *sequence, ssize_t index)
{
	void *item = python_api.PySequence_GetItem(sequence, index);

	if (!item)
		python_api.PyErr_Clear();
	return item;
}

/*
 * Returns the text of a str or bytes object, valid as long as the object. "": it is neither, such
 * as a path of pathlib.
 */
static const char *text_or_bytes(void *object)
{
	size_t length;
	const char *text = python_utf8(object, &length);

	if (!text && object)
		text = python_api.PyBytes_AsString(object);
	if (!text)
		python_api.PyErr_Clear();
	return text ? text : "";
}

static struct string commands_base_of(const char *path, size_t length)
{
	const char *slash = memrchr(path, '/', length);

	return slash ? string_of_bytes(slash + 1, (size_t)(path + length - slash - 1))
		     : string_of_bytes(path, length);
}

static void commands_record(struct string program, bool by_shell)
{
	(void)recorder_record(
		RECORDER_ANY, EVT_child_command,
		(struct recorder_field[]){ { .text = &program }, { .number = by_shell } }, 2);
}

/*
 * Records the first word of a shell command. Assignments of variables before it are skipped,
 * because they may be secrets. Empty if the command does not begin with a plain word.
 */
static void record_command(const char *command)
{
	size_t length;

	command += strspn(command, BLANKS);
	while ((length = strcspn(command, BLANKS)) && memchr(command, '=', length)) {
		command += length;
		command += strspn(command, BLANKS);
	}
	commands_record(strcspn(command, NO_WORD) < length ? string_of("")
							   : commands_base_of(command, length),
			true);
}

static bool is_shell(const char *path)
{
	struct string name = commands_base_of(path, strlen(path));

	return (name.length == 2 && memcmp(name.bytes, "sh", 2) == 0) ||
	       (name.length == 4 && memcmp(name.bytes, "bash", 4) == 0);
}

/* arguments: (executable, args, ...) */
bool commands_see_popen(void *arguments)
{
	void *list = python_api.PyTuple_GetItem(arguments, 1);
	void *first = list ? item_of(list, 0) : NULL, *option = list ? item_of(list, 1) : NULL,
	     *script = list ? item_of(list, 2) : NULL;
	const char *program = text_or_bytes(python_api.PyTuple_GetItem(arguments, 0));

	if (!*program)
		program = text_or_bytes(first);
	if (is_shell(program) && strcmp(text_or_bytes(option), "-c") == 0)
		record_command(text_or_bytes(script));
	else
		commands_record(commands_base_of(program, strlen(program)), false);
	if (first)
		python_api.Py_DecRef(first);
	if (option)
		python_api.Py_DecRef(option);
	if (script)
		python_api.Py_DecRef(script);
	return true;
}

/* arguments: (command) */
bool commands_see_system(void *arguments)
{
	record_command(text_or_bytes(python_api.PyTuple_GetItem(arguments, 0)));
	return true;
}
