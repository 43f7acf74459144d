/* SPDX-License-Identifier: MIT */
/*
 * Texts of a trace. A form is made from the name's bytes; most forms of most names are these bytes.
 */
#include "report/trace/trace_texts.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

#define TYPES_MAX 2048u

static bool has_brackets(const struct trace_text *text)
{
	return text->length > 1 && text->text[0] == '[' && text->text[text->length - 1] == ']';
}

/* [[2, 3], []] is a list. */
static void make_shapes(struct trace_text *text)
{
	for (size_t i = 0; i < text->length; i++)
		if (!text->text[i] || !strchr("0123456789[], ", text->text[i]))
			return;
	text->is_list = has_brackets(text);
}

/* ['float', 'int'] becomes a list. */
static void make_types(struct trace_texts *texts, struct trace_text *text)
{
	char *json;

	for (size_t i = 0; i < text->length; i++) {
		char byte = text->text[i];
		bool is_plain = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
				(byte >= 'A' && byte <= 'Z') || (byte && strchr("[]', _:<>", byte));

		if (!is_plain || text->length > TYPES_MAX)
			return;
	}
	text->is_list = has_brackets(text);
	if (!text->is_list)
		return;
	text->text = json = text_store_put(&texts->store, text->text, text->length);
	for (size_t i = 0; i < text->length; i++)
		if (json[i] == '\'')
			json[i] = '"';
}

static void make_kernel(struct trace_texts *texts, struct trace_text *text)
{
	const char *plain = texts->whole_kernel_names
				    ? demangle_whole(&texts->demangler, text->text, text->length)
				    : demangle(&texts->demangler, text->text, text->length, true);

	if (plain)
		*text = (struct trace_text){ .text = plain, .length = strlen(plain) };
}

static void make_module(struct text_store *store, struct trace_text *text)
{
	size_t label = strlen(TRACE_MODULE_LABEL);
	char *joined = memory_grow(NULL, label + text->length, 1);

	memcpy(joined, TRACE_MODULE_LABEL, label);
	memcpy(joined + label, text->text, text->length);
	text->length += label;
	text->text = text_store_put(store, joined, text->length);
	free(joined);
}

static struct trace_text trace_texts_make(struct trace_texts *texts, enum trace_form form,
					  const struct source_name *name)
{
	struct trace_text text = { .number = 0 };

	text.text = name_text(name, &text.length);
	if (form == TRACE_AS_SHAPES)
		make_shapes(&text);
	else if (form == TRACE_AS_TYPES)
		make_types(texts, &text);
	else if (form == TRACE_AS_KERNEL && name->text)
		make_kernel(texts, &text);
	else if (form == TRACE_AS_MODULE)
		make_module(name->text ? &texts->store : &texts->passing, &text);
	return text;
}

struct trace_text trace_text(struct trace_texts *texts, enum trace_form form, uint32_t name)
{
	const struct source_name *known;
	struct trace_text text;

	if (name < texts->room[form] && texts->text[form][name].number)
		return texts->text[form][name];
	known = source_name_at(texts->source, name);
	if (!known->text)
		text_store_release(&texts->passing);
	text = trace_texts_make(texts, form, known);
	if (!known->text)
		return text;
	text.number = TRACE_OWN_LIMIT + texts->count++;
	texts->text[form] = memory_room(texts->text[form], name, &texts->room[form],
					sizeof(*texts->text[form]));
	texts->text[form][name] = text;
	return text;
}

void trace_texts_release(struct trace_texts *texts)
{
	for (unsigned int i = 0; i < TRACE_FORMS; i++)
		free(texts->text[i]);
	text_store_release(&texts->store);
	text_store_release(&texts->passing);
	demangler_release(&texts->demangler);
}
