/* SPDX-License-Identifier: MIT */
/*
 * Code that has no file: what `python -c` was given, what was typed in, what exec() made of a text.
 * All programs call it <string> or <stdin>, so the name of such a file belongs to its program. As
 * long as there is one program it stays as it is; of several, each has the process in it.
 *
 * One program is what was started by the same words, up to its script: ranks and workers share it.
 */
#include "report/session/source_state.h"

#include <stdio.h>
#include <string.h>

#include "collector/format/error.h"
#include "report/base/text.h"

#define PROCESS_ROOM 32u /* bytes of " of process 4194304>" and more */

/* The name of a file that is none, by itself or behind "LINE\tFUNCTION\t". */
bool typed_is(const char *text, size_t length)
{
	static const char *const begins[] = { "<ipython-input-", NULL };
	const char *tab;

	if (!length || text[length - 1] != '>')
		return false;
	tab = memrchr(text, '\t', length);
	length -= tab ? (size_t)(tab + 1 - text) : 0;
	text = tab ? tab + 1 : text;
	return text_is(text, length, "<string>") || text_is(text, length, "<stdin>") ||
	       text_is(text, length, "<console>") || text_begins_any(text, length, begins);
}

/* --- programs --- */

struct command_word {
	const char *text;
	size_t length;
};

/* The next word of a command line, of length 0 at its end; `rest` moves behind it. */
static struct command_word command_next(struct command_word *rest)
{
	struct command_word word;
	const char *space;

	for (; rest->length && *rest->text == ' '; rest->text++)
		rest->length--;
	space = rest->length ? memchr(rest->text, ' ', rest->length) : NULL;
	word = (struct command_word){ rest->text,
				      space ? (size_t)(space - rest->text) : rest->length };
	rest->text += word.length;
	rest->length -= word.length;
	return word;
}

/* Whether the word is an option of Python whose argument is the next word, or with 'c' the rest. */
static bool option_ends(struct command_word word, char letter)
{
	return word.length >= 2 && word.text[0] == '-' && word.text[1] != '-' &&
	       word.text[word.length - 1] == letter;
}

/* What tells the program: its text, its module or its script. Empty: it came by another way. */
static struct command_word command_program(struct command_word rest)
{
	struct command_word word = command_next(&rest);

	while ((word = command_next(&rest)).length) {
		if (option_ends(word, 'c'))
			return rest;
		if (option_ends(word, 'W') || option_ends(word, 'X'))
			(void)command_next(&rest);
		else if (option_ends(word, 'm'))
			return command_next(&rest);
		else if (word.text[0] != '-')
			return word;
	}
	return word;
}

/* Workers of multiprocessing are started with code of its own, one as the other. */
static const char workers[] = "from multiprocessing.";

static bool typed_is_workers(uint64_t program)
{
	return program == (map_hash_bytes(workers, strlen(workers), 0) | 1);
}

uint64_t typed_program_of(struct file_row *file)
{
	const struct source_process *process = file->first;
	struct command_word program = { "", 0 };

	if (file->program || !process)
		return file->program;
	if (process->command->text)
		program = command_program(
			(struct command_word){ process->command->text, process->command->length });
	if (memmem(program.text, program.length, workers, strlen(workers)))
		program = (struct command_word){ workers, strlen(workers) };
	file->program = program.length ? map_hash_bytes(program.text, program.length, 0)
				       : map_hash_bytes(&file, sizeof(file), 0);
	file->program |= 1;
	return file->program;
}

/* --- names --- */

/* A program that has such names. */
struct typed_program {
	uint32_t pid; /* of its first process */
	bool is_workers;
};

/* A text as one program has it. */
struct typed {
	struct name_row *row;
	const char *plain; /* as recorded */
	size_t length;
	uint64_t program;
	struct typed *alike; /* the next one with the same hash */
	struct typed *earlier;
};

static uint64_t typed_hash(const char *text, size_t length, uint64_t program)
{
	return map_hash_bytes(text, length, program);
}

struct name_row *typed_find(struct file_row *file, const char *text, size_t length)
{
	uint64_t program = typed_program_of(file);
	const struct typed *typed = lookup_find(&file->source->typed_texts,
						typed_hash(text, length, program));

	while (typed && (typed->program != program || typed->length != length ||
			 memcmp(typed->plain, text, length) != 0))
		typed = typed->alike;
	return typed ? typed->row : NULL;
}

/* "<string>" becomes "<string of process 17>". */
static int typed_name_process(struct source *source, const struct typed *typed)
{
	const struct typed_program *program = lookup_find(&source->typed_programs, typed->program);
	size_t used = typed->length - 1; /* without the > */
	char *text = store_take(&source->store, used + PROCESS_ROOM);

	if (!text)
		return EVT_NO_MEMORY;
	memcpy(text, typed->plain, used);
	if (!program || !program->is_workers)
		used += (size_t)snprintf(text + used, PROCESS_ROOM, " of process %u>",
					 program ? program->pid : 0);
	else
		used += (size_t)snprintf(text + used, PROCESS_ROOM, " of multiprocessing>");
	typed->row->name.text = text;
	typed->row->name.length = used;
	return EVT_OK;
}

/* With the second program, names get their processes. */
static int typed_add_program(struct file_row *file, uint64_t program)
{
	struct source *source = file->source;
	struct typed_program *added;
	int error;

	if (lookup_find(&source->typed_programs, program))
		return EVT_OK;
	added = store_take(&source->store, sizeof(*added));
	if (!added)
		return EVT_NO_MEMORY;
	added->pid = file->first ? file->first->pid : 0;
	added->is_workers = typed_is_workers(program);
	error = lookup_put(&source->typed_programs, program, added);
	for (const struct typed *typed = source->typed; typed && !error; typed = typed->earlier)
		if (source->typed_programs.count == 2)
			error = typed_name_process(source, typed);
	return error;
}

int typed_put(struct file_row *file, struct name_row *row, const char *text, size_t length)
{
	struct source *source = file->source;
	uint64_t program = typed_program_of(file), hash = typed_hash(text, length, program);
	struct typed *typed = store_take(&source->store, sizeof(*typed));
	char *plain = store_take(&source->store, length + 1);
	int error;

	if (!typed || !plain)
		return EVT_NO_MEMORY;
	memcpy(plain, text, length);
	row->name.text = plain;
	row->name.length = length;
	error = typed_add_program(file, program);
	*typed = (struct typed){ .row = row,
				 .plain = plain,
				 .length = length,
				 .program = program,
				 .alike = lookup_find(&source->typed_texts, hash),
				 .earlier = source->typed };
	source->typed = typed;
	if (!error && source->typed_programs.count > 1)
		error = typed_name_process(source, typed);
	return error ? error : lookup_put(&source->typed_texts, hash, typed);
}
