/* SPDX-License-Identifier: MIT */
/* Looks a name up and sets it, or formats into the table's store of texts. */
#include "report/table/cells.h"

#include <string.h>

void table_put_text(struct table *table, enum column_id column, const char *text)
{
	if (text)
		table_set_text(table, column, text, strlen(text));
}

void table_put_name(struct table *table, enum column_id column, const struct source *source,
		    uint32_t name)
{
	size_t length;
	const char *text = name_text(source_name_at(source, name), &length);

	table_set_text(table, column, text, length);
}

void table_put_known_name(struct table *table, enum column_id column, const struct source *source,
			  uint32_t name)
{
	size_t length;

	name_text(source_name_at(source, name), &length);
	if (length)
		table_put_name(table, column, source, name);
}

void table_put_pid(struct table *table, enum column_id column, const struct source *source,
		   size_t process)
{
	struct source_process *const *list;

	source_processes(source, &list);
	table_set_number(table, column, list[process]->pid);
}

void table_put_dimensions(struct table *table, enum column_id column, uint32_t x, uint32_t y,
			  uint32_t z)
{
	table_put_text(table, column, text_store_format(&table->texts, "%ux%ux%u", x, y, z));
}
