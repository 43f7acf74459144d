/* SPDX-License-Identifier: MIT */
/* Names of kernels as a table shows them, by --names; none is made twice. All zeros is empty, and full is off. */
#ifndef REPORT_GPU_KERNEL_TEXT_H
#define REPORT_GPU_KERNEL_TEXT_H

#include "report/base/demangle.h"
#include "report/base/map.h"
#include "report/session/source.h"
#include "report/table/table.h"

struct kernel_text {
	struct demangler demangler;
	bool mangled, full;
	struct text_store *texts; /* that what is made is kept in; NULL: the table's own */
	struct map made;          /* an index + 1 to its text; 0: it is shown as it is */
	bool has_map;
};

/* Into the row added last; `index`: of the name. One table each. */
void kernel_text_put(struct kernel_text *names, const struct source *source, struct table *table,
		     enum column_id column, uint64_t index);
void kernel_text_release(struct kernel_text *names);

#endif
