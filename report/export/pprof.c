/* SPDX-License-Identifier: MIT */
/*
 * `export pprof`: stacks as pprof's profile.proto, gzipped, written field by field. Locations and
 * functions have the numbers of the named frames. Frames that are folded away in the tables are
 * left out here, too.
 */
#include "report/export/stack_export.h"

#include <stdlib.h>

#include "report/export/protobuf.h"

/* Field numbers in profile.proto. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_COMMENT = 13,
	VALUE_TYPE = 1,
	VALUE_UNIT = 2,
	SAMPLE_LOCATION = 1,
	SAMPLE_VALUE = 2,
	LOCATION_ID = 1,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
	LINE_FUNCTION = 1,
	LINE_LINE = 2,
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_FILE = 4,
};

/* Numbers of strings: 0 is empty; after these, two for each frame. */
enum { STRING_TYPE = 1, STRING_UNIT, STRING_COMMENT, STRING_FRAMES };

/* Writes `inner` as a field of the profile, and empties it. */
static void write_message(struct sink *sink, unsigned int field, struct message *inner)
{
	struct message head = { .length = 0 };

	message_varint(&head, field << 3 | 2);
	message_varint(&head, inner->length);
	sink_put(sink, (const char *)head.byte, head.length);
	if (inner->length)
		sink_put(sink, (const char *)inner->byte, inner->length);
	free(head.byte);
	inner->length = 0;
}

static void write_text(struct sink *sink, const char *text)
{
	struct message message = { .length = 0 };
	char shown[NAMED_TEXT_FRAME_MAX];

	/* strings of protobuf are UTF-8, so other bytes are escaped */
	for (size_t i = 0, length = named_frame_text(shown, text); i < length; i++)
		message_byte(&message, (uint8_t)shown[i]);
	write_message(sink, PROFILE_STRING, &message);
	free(message.byte);
}

/* A comment: what the profile is about, and losses. */
static void write_comment(struct stack_export *it)
{
	char what[128], *lost = export_losses_line(it->report.request, "; ");
	struct message message = { .length = 0 };

	stack_report_describe(&it->state, what, sizeof(what));
	for (const char *at = what; *at; at++)
		message_byte(&message, (uint8_t)*at);
	for (const char *at = lost; *at; at++)
		message_byte(&message, (uint8_t)*at);
	write_message(it->sink, PROFILE_STRING, &message);
	free(message.byte);
	free(lost);
}

static void write_strings(struct stack_export *it)
{
	const struct named_stacks *names = &it->state.rows.names;

	write_text(it->sink, "");
	write_text(it->sink, it->state.from->name);
	write_text(it->sink, stack_export_unit(it));
	write_comment(it);
	for (size_t i = 1; i < names->frame_count; i++) {
		write_text(it->sink, named_shown(names, &names->frame[i]));
		write_text(it->sink, names->frame[i].file ? names->frame[i].file : "");
	}
}

/*
 * A function without a system name. pprof would demangle a name that equals the system name, and
 * cut out what it takes for template arguments and parameters: <module> and <lambda> would lose
 * their names.
 */
static void write_frame(struct sink *sink, const struct named_frame *frame, uint64_t number)
{
	struct message message = { .length = 0 }, line = { .length = 0 };
	uint64_t name = STRING_FRAMES + 2 * (number - 1);

	message_number(&message, FUNCTION_ID, number);
	message_number(&message, FUNCTION_NAME, name);
	message_number(&message, FUNCTION_FILE, name + 1);
	write_message(sink, PROFILE_FUNCTION, &message);
	message_number(&line, LINE_FUNCTION, number);
	message_number(&line, LINE_LINE, frame->line);
	message_number(&message, LOCATION_ID, number);
	message_number(&message, LOCATION_ADDRESS, frame->is_many ? 0 : frame->offset);
	message_bytes(&message, LOCATION_LINE, line.byte, line.length);
	write_message(sink, PROFILE_LOCATION, &message);
	free(message.byte);
	free(line.byte);
}

/* Innermost first. */
static void write_stack(struct sink *sink, const struct named_stacks *names, uint32_t stack,
			uint64_t weight)
{
	struct message message = { .length = 0 };

	for (; stack != NAMED_NONE; stack = named_parent(names, stack))
		message_number(&message, SAMPLE_LOCATION, names->nodes.node[stack].frame);
	message_number(&message, SAMPLE_VALUE, weight);
	write_message(sink, PROFILE_SAMPLE, &message);
	free(message.byte);
}

static void write_profile(struct stack_export *it)
{
	const struct named_stacks *names = &it->state.rows.names;
	struct message message = { .length = 0 };

	message_number(&message, VALUE_TYPE, STRING_TYPE);
	message_number(&message, VALUE_UNIT, STRING_UNIT);
	write_message(it->sink, PROFILE_SAMPLE_TYPE, &message);
	free(message.byte);
	for (size_t i = 0; i < it->state.rows.place_count; i++)
		write_stack(it->sink, names, it->state.rows.place[i].stack, it->state.weight[i]);
	for (size_t i = 1; i < names->frame_count; i++)
		write_frame(it->sink, &names->frame[i], i);
	write_strings(it);
	message = (struct message){ .length = 0 };
	message_number(&message, PROFILE_COMMENT, STRING_COMMENT);
	sink_put(it->sink, (const char *)message.byte, message.length);
	free(message.byte);
}

int export_pprof(struct report_request *request)
{
	struct stack_export it;
	int status = stack_export_begin(&it, request, TREE_BY_FRAME, true);

	if (!status)
		write_profile(&it);
	return stack_export_end(&it, status);
}
