/* SPDX-License-Identifier: MIT */
/* See kernel_text.h. */
#include "report/gpu/kernel_text.h"

#include <string.h>

static const char *name_demangle(struct kernel_text *names, struct table *table, uint64_t index,
				 const struct source_name *name)
{
	const char *text;

	if (names->last_text && names->last_index == index)
		return names->last_text;
	text = demangle(&names->demangler, name->text, name->length, names->full);
	names->last_index = index;
	names->last_text = text ? text_store_format(&table->texts, "%s", text) : NULL;
	return names->last_text;
}

void kernel_text_put(struct kernel_text *names, const struct source *source, struct table *table,
		     enum column_id column, uint64_t index)
{
	const struct source_name *name = source_name_at(source, (uint32_t)index);
	const char *text = NULL;

	if (!names->mangled && name->text)
		text = name_demangle(names, table, index, name);
	if (text)
		table_set_text(table, column, text, strlen(text));
	else
		table_set_text(table, column, source_name_text(name),
			       name->text ? name->length : strlen(source_name_text(name)));
}

void kernel_text_release(struct kernel_text *names)
{
	demangler_release(&names->demangler);
}
