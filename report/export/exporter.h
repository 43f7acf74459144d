/* SPDX-License-Identifier: MIT */
/*
 * What an exporter is: a function that reads the request's source to its end, once, and writes what another program
 * opens. Memory may grow with names, threads and what is open, not with events.
 *
 * Returns an exit status, and where that is not STATUS_OK one line in the request's message. One thread.
 */
#ifndef REPORT_EXPORT_EXPORTER_H
#define REPORT_EXPORT_EXPORTER_H

#include "report/core/report_kind.h"
#include "report/export/export.def"

#define EXPORTER_DECLARE(name, function, is_of_stacks, doc) \
	int export_##function(struct report_request *request);
EXPORTERS(EXPORTER_DECLARE)
#undef EXPORTER_DECLARE

/* For people, on stderr: what `print` prints, a line each, uncut. */
void export_say(const struct report_request *request,
		void (*print)(void *context, const struct screen *screen), void *context);
/* The same of what the recording has lost. */
void export_say_losses(const struct report_request *request);
/* The same as one line, its sentences behind `before` and with "; " between them, for formats that have room for a remark. "" when
 * nothing was lost. For free(). */
char *export_losses_line(const struct report_request *request, const char *before);
/* "trace.json: 1,234 events, 56 MB": what has been written; nothing when that went to stdout. */
void export_say_written(const char *path, uint64_t count, const char *what, uint64_t bytes);

#endif
