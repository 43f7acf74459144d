/* SPDX-License-Identifier: MIT */
/*
 * What the exporters of stacks share: the stacks of the family that --of names with the value that
 * --value names, read and named, and the file that they go to.
 *
 *   status = stack_export_begin(&it, request, TREE_BY_NAME, false);
 *   if (!status) { ... write it.state to it.sink ...; }
 *   return stack_export_end(&it, status);
 */
#ifndef REPORT_EXPORT_STACK_EXPORT_H
#define REPORT_EXPORT_STACK_EXPORT_H

#include "report/export/exporter.h"
#include "report/export/sink.h"
#include "report/stacks/stack_report.h"

struct stack_export {
	struct report report;
	struct stack_report state;
	struct stack_tree tree; /* from the outermost inwards */
	uint32_t *order;        /* its nodes, without the root: tree.count - 1 */
	struct sink *sink;      /* NULL: it could not be opened, or there is nothing to write */
};

/*
 * Reads everything. `identity`: by frame if the format has lines, by file if it has files. `zips`:
 * the format is compressed, whatever its file is called.
 */
int stack_export_begin(struct stack_export *it, struct report_request *request,
		       enum tree_identity identity, bool zips);
/* Closes the file and frees everything; `status` is that of the begin, or another. */
int stack_export_end(struct stack_export *it, int status);

/* "alloc: bytes", "bytes" or "nanoseconds" or "count". */
const char *stack_export_unit(const struct stack_export *it);

#endif
