/* SPDX-License-Identifier: MIT */
/* Makes the table of report io. */
#ifndef REPORT_IO_ROWS_IO_H
#define REPORT_IO_ROWS_IO_H

#include "report/io/io_events.h"
#include "report/table/export.h"
#include "report/table/table.h"

/* Joins rows of the reading that mean the same; to be called once. */
void io_fill_table(struct io_reading *reading, struct table *table);

/*
 * What the kernel has read from disks and is going to write to disks, of all processes: see
 * source.h.
 */
struct io_disk {
	uint64_t read_bytes, written_bytes;
	bool is_known; /* true if every process that has calls in the reading reported it */
};
/* Unknown if only a part of the run is shown: the counters are of whole processes. */
struct io_disk io_disk(const struct run *run, struct source *source);

/* Says how many calls are in no row, because they were short. */
void io_print_short(const struct io_reading *reading, const struct screen *screen);
/* Prints the lines above the table. */
void io_print_totals(const struct io_row *total, const struct io_disk *disk, uint64_t unfinished,
		     const struct screen *screen);

#endif
