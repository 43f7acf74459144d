/* SPDX-License-Identifier: MIT */
/* Label values must be UTF-8; bytes that are not ASCII, and controls, become a question mark. */
#include "collector/metrics/exposition.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 8192u
#define PREFIX "intercept_"
#define NS_PER_S UINT64_C(1000000000)

void exposition_release(struct exposition *e)
{
	free(e->text);
	*e = (struct exposition){ 0 };
}

static void exposition_add(struct exposition *e, const char *text, size_t length)
{
	size_t room = e->room ? e->room : ROOM_FIRST;
	char *moved;

	if (e->failed)
		return;
	while (room < e->length + length + 1)
		room *= 2;
	if (room > e->room) {
		moved = realloc(e->text, room);
		if (!moved) {
			e->failed = true;
			return;
		}
		e->text = moved;
		e->room = room;
	}
	memcpy(e->text + e->length, text, length);
	e->length += length;
	e->text[e->length] = 0;
}

static void exposition_add_text(struct exposition *e, const char *text)
{
	exposition_add(e, text, strlen(text));
}

void exposition_begin(struct exposition *e, const char *metric, const char *type, const char *help)
{
	const char *const parts[] = { "# HELP ", PREFIX, metric, " ", help, "\n",
				      "# TYPE ", PREFIX, metric, " ", type, "\n" };

	e->metric = metric;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		exposition_add_text(e, parts[i]);
}

static void label_value_add(struct exposition *e, const char *value)
{
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			exposition_add(e, "\\", 1);
		if (*value == '\n')
			exposition_add(e, "\\n", 2);
		else
			exposition_add(e, *value < ' ' || *value == 0x7f ? "?" : value, 1);
	}
}

static void sample_begin(struct exposition *e, const char *suffix,
			 const struct exposition_label *label, size_t count)
{
	const char *before = "{";

	exposition_add_text(e, PREFIX);
	exposition_add_text(e, e->metric);
	exposition_add_text(e, suffix);
	for (size_t i = 0; i < count; i++) {
		if (!label[i].value || !*label[i].value)
			continue;
		exposition_add_text(e, before);
		exposition_add_text(e, label[i].name);
		exposition_add_text(e, "=\"");
		label_value_add(e, label[i].value);
		exposition_add_text(e, "\"");
		before = ",";
	}
	exposition_add_text(e, *before == ',' ? "} " : " ");
}

void exposition_put_count(struct exposition *e, const char *suffix,
			  const struct exposition_label *label, size_t count, uint64_t value)
{
	char text[32];

	sample_begin(e, suffix, label, count);
	snprintf(text, sizeof(text), "%" PRIu64 "\n", value);
	exposition_add_text(e, text);
}

void exposition_put_ns(struct exposition *e, const char *suffix,
		       const struct exposition_label *label, size_t count, uint64_t ns)
{
	char text[48];

	sample_begin(e, suffix, label, count);
	snprintf(text, sizeof(text), "%" PRIu64 ".%09" PRIu64 "\n", ns / NS_PER_S, ns % NS_PER_S);
	exposition_add_text(e, text);
}
