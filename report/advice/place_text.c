/* SPDX-License-Identifier: MIT */
/* Writes places for people; combining characters need bytes, but no columns. */
#include "report/advice/place_text.h"

#include <stdio.h>
#include <string.h>

#include "report/base/text.h"

#define NAME_ESCAPED_BYTES 512u
#define ENGINE "autograd::engine::evaluate_function: "

void place_name(const struct source_name *name, char shown[PLACE_NAME_BYTES])
{
	char escaped[NAME_ESCAPED_BYTES], shorter[NAME_ESCAPED_BYTES + 8];
	size_t length, skipped = 0;

	if (!name || !name->text) {
		snprintf(shown, PLACE_NAME_BYTES, "a name that was lost");
		return;
	}
	if (name->length > strlen(ENGINE) && !memcmp(name->text, ENGINE, strlen(ENGINE)))
		skipped = strlen(ENGINE);
	length = text_escape(escaped, sizeof(escaped), name->text + skipped,
			     name->length - skipped);
	length = text_shorten(shorter, escaped, length, PLACE_NAME_WIDTH, "..");
	/* combining characters take bytes, but no columns */
	text_escape(shown, PLACE_NAME_BYTES, shorter, length);
}

static void place_text_show_name(const struct bottleneck *bottleneck, uint32_t index,
				 char shown[PLACE_NAME_BYTES])
{
	place_name(index == GAP_NO_NAME ? NULL : source_name_at(bottleneck->source, index), shown);
}

bool place_label(const struct bottleneck *bottleneck, const struct gap_place *place,
		 char shown[PLACE_NAME_BYTES])
{
	bool is_labelled = place->label != GAP_NO_NAME &&
			   place->label_ns * 2 > timing_percentile(&place->time, 50);

	if (is_labelled)
		place_text_show_name(bottleneck, place->label, shown);
	return is_labelled;
}

void place_text(const struct bottleneck *bottleneck, const struct gap_place *place,
		char text[PLACE_BYTES])
{
	char before[PLACE_NAME_BYTES], after[PLACE_NAME_BYTES], label[PLACE_NAME_BYTES];
	bool is_labelled = place_label(bottleneck, place, label);

	place_text_show_name(bottleneck, place->before, before);
	place_text_show_name(bottleneck, place->after, after);
	snprintf(text, PLACE_BYTES, "after %s and before %s%s%s%s", before, after,
		 is_labelled ? ", mostly in '" : "", is_labelled ? label : "",
		 is_labelled ? "'" : "");
}

void place_of_frame(const struct named_frame *frame, struct advice_place *place)
{
	if (!frame->is_users)
		return;
	text_escape(place->function, sizeof(place->function), frame->name, strlen(frame->name));
	if (!frame->file || !frame->line)
		return;
	text_escape(place->line, sizeof(place->line) - 16, frame->file, strlen(frame->file));
	snprintf(place->line + strlen(place->line), 16, ":%u", frame->line);
}

#define FRAME_NAME_BYTES 101u

void place_frame_text(const struct named_frame *frame, char text[PLACE_FRAME_BYTES])
{
	char name[FRAME_NAME_BYTES], file[FRAME_NAME_BYTES];
	const char *slash = frame->file ? strrchr(frame->file, '/') : NULL;
	const char *base = slash ? slash + 1 : frame->file;

	text_escape(name, sizeof(name), frame->name, strlen(frame->name));
	if (!base || !frame->line) {
		snprintf(text, PLACE_FRAME_BYTES, "%s", name);
		return;
	}
	text_escape(file, sizeof(file), base, strlen(base));
	if (frame->is_python && name[0] == '<') /* "<module>", "<listcomp>": the line says more */
		snprintf(text, PLACE_FRAME_BYTES, "%s:%u", file, frame->line);
	else
		snprintf(text, PLACE_FRAME_BYTES, "%s (%s:%u)", name, file, frame->line);
}
