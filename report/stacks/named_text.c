/* SPDX-License-Identifier: MIT */
/*
 * Named stacks as text, written from both ends so that only the middle is left out. Names come from
 * files that anybody may have written.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/text.h"
#include "report/stacks/named_stacks.h"

#define TEXT_SIDE (NAMED_TEXT_MAX / 2u - 32u) /* bytes at each end of a text that is too long */

/* bytes of a name that is too long; its end distinguishes methods of a template */
#define LONG_HEAD 200u
#define LONG_TAIL 300u

static bool is_continued(char byte) /* a byte inside of a UTF-8 character */
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

static size_t shorten(char shown[NAMED_TEXT_FRAME_MAX], const char *name, size_t length)
{
	size_t head = LONG_HEAD, tail = length - LONG_TAIL;

	while (head && is_continued(name[head]))
		head--;
	while (tail < length && is_continued(name[tail]))
		tail++;
	return (size_t)snprintf(shown, NAMED_TEXT_FRAME_MAX, "%.*s...%s", (int)head, name,
				name + tail);
}

/*
 * Escapes first. What is left out is marked and both ends are kept, however much escapes lengthen
 * the name.
 */
static size_t escape_long(char shown[NAMED_TEXT_FRAME_MAX], const char *name, size_t length,
			  size_t room)
{
	char *whole = memory_grow(NULL, room, 1);

	length = text_escape(whole, room, name, length);
	if (length >= NAMED_TEXT_FRAME_MAX)
		length = shorten(shown, whole, length);
	else
		memcpy(shown, whole, length + 1);
	free(whole);
	return length;
}

size_t named_frame_text(char shown[NAMED_TEXT_FRAME_MAX], const char *name)
{
	size_t length = strlen(name), room = text_escape_room(length);

	if (room <= NAMED_TEXT_FRAME_MAX)
		length = text_escape(shown, NAMED_TEXT_FRAME_MAX, name, length);
	else
		length = escape_long(shown, name, length, room);
	for (size_t i = 0; i < length; i++)
		if (shown[i] == ';')
			shown[i] = ':';
	return length;
}

/* One end of the text, written backwards or forwards in the order of the frames. */
struct side {
	char text[NAMED_TEXT_MAX];
	size_t used;
};

/*
 * Writes the innermost frames backwards from the end of the text; returns the first frame that did
 * not fit.
 */
static uint32_t put_inner(const struct named_stacks *names, uint32_t stack, struct side *side)
{
	for (; stack != NAMED_NONE; stack = named_parent(names, stack)) {
		char shown[NAMED_TEXT_FRAME_MAX];
		size_t length = named_frame_text(shown,
						 named_shown(names, named_frame_of(names, stack)));

		if (side->used + length + 1 > TEXT_SIDE)
			break;
		if (side->used)
			side->text[sizeof(side->text) - ++side->used] = ';';
		side->used += length;
		memcpy(&side->text[sizeof(side->text) - side->used], shown, length);
	}
	return stack;
}

const char *named_stack_text(const struct named_stacks *names, uint32_t stack,
			     struct text_store *texts)
{
	struct side inner = { .used = 0 };
	uint32_t outer = put_inner(names, stack, &inner), *path;
	size_t count = 0, depth = 0, used = 0;
	char head[NAMED_TEXT_MAX];

	for (uint32_t at = outer; at != NAMED_NONE; at = named_parent(names, at))
		depth++;
	path = memory_zero(depth + 1, sizeof(*path));
	for (uint32_t at = outer; at != NAMED_NONE; at = named_parent(names, at))
		path[depth - ++count] = at;
	for (count = 0; count < depth; count++) {
		char shown[NAMED_TEXT_FRAME_MAX];
		size_t length = named_frame_text(
			shown, named_shown(names, named_frame_of(names, path[count])));

		if (used + length + 1 > TEXT_SIDE)
			break;
		memcpy(head + used, shown, length);
		head[used + length] = ';';
		used += length + 1;
	}
	free(path);
	/*
	 * two sides and a number are shorter than `head`; printf() would take as long as everything
	 * else
	 */
	if (count < depth)
		used += (size_t)snprintf(head + used, sizeof(head) - used, "(%zu frames);",
					 depth - count);
	memcpy(head + used, inner.text + sizeof(inner.text) - inner.used, inner.used);
	return text_store_put(texts, head, used + inner.used);
}

const char *named_frame_line(const struct named_frame *frame, struct text_store *texts)
{
	if (!frame->file || !frame->line)
		return NULL;
	return text_store_format(texts, "%s:%" PRIu32, frame->file, frame->line);
}
