/* SPDX-License-Identifier: MIT */
/*
 * A stack is walked outwards to the first caller whose shown form is known. From there inwards each
 * frame is added, and its shown form is remembered by number.
 */
#include "report/stacks/stack_shown.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

/* components of a path, because a name that many files have, such as __init__.py, says little */
#define FOLDERS_SHOWN 2

void stack_shown_init(struct stack_shown *shown, struct named_stacks *names, enum stack_by by)
{
	*shown = (struct stack_shown){ .names = names, .by = by };
}

void stack_shown_release(struct stack_shown *shown)
{
	free(shown->known);
	free(shown->path);
}

/* Returns the end of a path. */
static const char *stack_shown_short_file(const char *file)
{
	const char *at = file + strlen(file);

	for (int components = 0; at > file; at--)
		if (at[-1] == '/' && ++components == FOLDERS_SHOWN)
			break;
	return at;
}

static struct named_frame frame_shown(struct stack_shown *shown, const struct named_frame *frame)
{
	struct named_frame to = { .name = named_shown(shown->names, frame),
				  .exact = frame->exact,
				  .is_python = frame->is_python };

	if (shown->by == STACK_BY_LINE && frame->file && frame->line) {
		to.name = text_store_format(&shown->names->texts, "%s (%s:%" PRIu32 ")", to.name,
					    stack_shown_short_file(frame->file), frame->line);
		to.file = frame->file;
		to.line = frame->line;
		to.module = frame->module;
	}
	to.function = to.name;
	return to;
}

/* The shown form of the caller is `parent`. By Python, a frame other than Python's is left out. */
static uint32_t stack_shown_put_frame(struct stack_shown *shown, uint32_t parent, uint32_t stack)
{
	struct named_frame frame = *named_frame_of(shown->names, stack);

	if (shown->by == STACK_BY_PYTHON && !frame.is_python)
		return parent;
	if (shown->by != STACK_BY_PYTHON)
		frame = frame_shown(shown, &frame);
	return named_stack_put(shown->names, parent, &frame);
}

static uint32_t *stack_shown_known_of(struct stack_shown *shown, uint32_t stack)
{
	shown->known = memory_room(shown->known, stack, &shown->known_room, sizeof(*shown->known));
	return &shown->known[stack];
}

uint32_t stack_shown_of(struct stack_shown *shown, uint32_t stack)
{
	static const struct named_frame none = { .name = NO_PYTHON, .function = NO_PYTHON };
	uint32_t now = NAMED_NONE;
	size_t length = 0;

	for (uint32_t at = stack; at != NAMED_NONE; at = named_parent(shown->names, at)) {
		now = *stack_shown_known_of(shown, at);
		if (now != NAMED_NONE)
			break;
		shown->path = memory_room(shown->path, length, &shown->path_room,
					  sizeof(*shown->path));
		shown->path[length++] = at;
	}
	while (length) {
		uint32_t at = shown->path[--length];

		now = stack_shown_put_frame(shown, now, at);
		*stack_shown_known_of(shown, at) = now;
	}
	return now != NAMED_NONE ? now : named_stack_put(shown->names, NAMED_NONE, &none);
}
