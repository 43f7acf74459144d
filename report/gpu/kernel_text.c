/* SPDX-License-Identifier: MIT */
/*
 * A map from a name's index to its demangled text, filled as names are shown. A name that cannot be
 * demangled is shown as it is.
 */
#include "report/gpu/kernel_text.h"

#include <string.h>

static const char *name_demangle(struct kernel_text *names, struct table *table, uint64_t index,
				 const struct source_name *name)
{
	struct map_entry *entry;
	bool added;

	if (!names->has_map)
		map_init(&names->made);
	names->has_map = true;
	entry = map_put(&names->made, index + 1, &added);
	if (added) {
		const char *text = demangle(&names->demangler, name->text, name->length,
					    names->full);

		entry->value = text ? (uintptr_t)text_store_format(names->texts ? names->texts
										: &table->texts,
								   "%s", text)
				    : 0;
	}
	return (const char *)(uintptr_t)entry->value;
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
	if (names->has_map)
		map_release(&names->made);
}
