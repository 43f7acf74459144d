/* SPDX-License-Identifier: MIT */
/*
 * An exporter is a function that reads the request's source to its end, once, and writes a file for
 * another program. Memory may grow with names, threads and what is open, not with events.
 *
 * Returns an exit status, and if that is not STATUS_OK, one line in the request's message. One
 * thread.
 */
#ifndef REPORT_EXPORT_EXPORTER_H
#define REPORT_EXPORT_EXPORTER_H

#include "report/core/report_kind.h"
#include "report/export/export.def"

#define EXPORTER_DECLARE(name, function, takes, doc) \
	int export_##function(struct report_request *request);
EXPORTERS(EXPORTER_DECLARE)
#undef EXPORTER_DECLARE

/* For people, on stderr: the output of `print`, line by line, uncut. */
void export_say(const struct report_request *request,
		void (*print)(void *context, const struct screen *screen), void *context);
/* The same for the losses of the recording. */
void export_say_losses(const struct report_request *request);
/*
 * Losses in one line, its sentences after `before` and separated by "; ", for formats that have
 * room for a remark. "" if nothing was lost. To be freed.
 */
char *export_losses_line(const struct report_request *request, const char *before);
/* "trace.json: 1,234 events, 56 MB": what has been written; nothing if it went to stdout. */
void export_say_written(const char *path, uint64_t count, const char *what, uint64_t bytes);

#endif
