/* SPDX-License-Identifier: MIT */
/* Cells that many reports have: texts, names, processes, sizes in three dimensions. */
#ifndef REPORT_TABLE_CELLS_H
#define REPORT_TABLE_CELLS_H

#include <stdint.h>

#include "report/session/source.h"
#include "report/table/table.h"

/* Sets a cell of the row added last to a text that ends with 0; NULL leaves it empty. */
void table_put_text(struct table *table, enum column_id column, const char *text);
/* The same for a name of the recording, by its index. */
void table_put_name(struct table *table, enum column_id column, const struct source *source,
		    uint32_t name);
/* Leaves the cell empty where the name is. */
void table_put_known_name(struct table *table, enum column_id column, const struct source *source,
			  uint32_t name);
/* The pid of a process, by its index. */
void table_put_pid(struct table *table, enum column_id column, const struct source *source,
		   size_t process);
/* "XxYxZ" */
void table_put_dimensions(struct table *table, enum column_id column, uint32_t x, uint32_t y,
			  uint32_t z);

#endif
