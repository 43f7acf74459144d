/* SPDX-License-Identifier: MIT */
/*
 * Names of kernels as a table shows them, in the form of --names; each is made once. All zeros is
 * an empty object, whose form is "full".
 */
#ifndef REPORT_GPU_KERNEL_TEXT_H
#define REPORT_GPU_KERNEL_TEXT_H

#include "report/base/demangle.h"
#include "report/base/map.h"
#include "report/session/source.h"
#include "report/table/table.h"

struct kernel_text {
	struct demangler demangler;
	bool mangled, full;
	struct text_store *texts; /* keeps the texts that are made; NULL: the table's own store */
	struct map made;          /* index + 1 to its text; 0: shown as it is */
	bool has_map;
};

/* Puts the name into the row added last. `index`: of the name. One object serves one table. */
void kernel_text_put(struct kernel_text *names, const struct source *source, struct table *table,
		     enum column_id column, uint64_t index);
void kernel_text_release(struct kernel_text *names);

#endif
