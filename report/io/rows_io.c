/* SPDX-License-Identifier: MIT */
/*
 * Keys that are settled at the end may become equal: such rows are joined first. The totals are
 * printed as prose, with the kernel's counters of disks.
 */
#include "report/io/rows_io.h"
#include "report/base/units.h"
#include "report/table/cells.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#define WAITS "(poll, select, epoll)"
#define UNKNOWN "(not known)"

static void rows_io_put_name(struct table *table, enum column_id column,
			     const struct source_name *name)
{
	size_t length;
	const char *text = name_text(name, &length);

	if (length)
		table_set_text(table, column, text, length);
	else
		table_put_text(table, column, UNKNOWN);
}

static void rows_io_put_file(struct table *table, const struct source *source, uint64_t file)
{
	if (file == IO_NO_FILE)
		table_put_text(table, COLUMN_io_file, WAITS);
	else if (file == IO_UNKNOWN_FILE)
		table_put_text(table, COLUMN_io_file, UNKNOWN);
	else
		rows_io_put_name(table, COLUMN_io_file, source_name_at(source, (uint32_t)file));
}

/*
 * Forked workers have the command line of their parent; the name of their main thread identifies
 * them.
 */
static void put_main_thread(struct table *table, struct source *source, uint64_t index)
{
	struct source_process *const *process;
	const struct source_thread *thread;
	size_t length = 0;
	const char *name;

	source_processes(source, &process);
	thread = process[index]->first_thread;
	while (thread && thread->tid != process[index]->pid)
		thread = thread->next;
	if (thread)
		thread_name(thread, &name, &length);
	if (length)
		table_set_text(table, COLUMN_io_name, name, length);
}

static void rows_io_put_key(struct table *table, const struct io_reading *reading,
			    const struct io_row *row)
{
	switch (reading->io.by) {
	case IO_BY_FILE:
		rows_io_put_file(table, reading->source, row->key);
		break;
	case IO_BY_FUNCTION:
		rows_io_put_name(table, COLUMN_io_function,
				 source_name_at(reading->source, (uint32_t)row->key));
		break;
	case IO_BY_KEY:
		key_put(&reading->key, row->key, table);
		if (reading->key.kind == &key_kind_process)
			put_main_thread(table, reading->source, row->key);
		break;
	case IO_BY_KIND:
		break;
	}
}

static void put_sizes(struct table *table, const struct io_row *row)
{
	uint64_t bytes = row->bytes_read + row->bytes_written;

	if (row->sizes.used) {
		table_set_number(table, COLUMN_io_p50_bytes, histogram_percentile(&row->sizes, 50));
		table_set_number(table, COLUMN_io_p99_bytes, histogram_percentile(&row->sizes, 99));
	}
	if (bytes && row->transfer_ns)
		table_set_number(table, COLUMN_io_rate,
				 (uint64_t)((double)bytes * 1e9 / (double)row->transfer_ns));
	if (row->accesses)
		table_set_real(table, COLUMN_io_sequential_percent,
			       100.0 * (double)(row->accesses - row->jumps) /
				       (double)row->accesses);
}

static void put_counters(struct table *table, const struct io_row *row, uint64_t all_ns)
{
	table_put_text(table, COLUMN_io_kind, io_kind_name(row->kind));
	table_set_number(table, COLUMN_io_calls, row->calls);
	table_set_number(table, COLUMN_io_opens, row->opens);
	table_set_number(table, COLUMN_io_reads, row->reads);
	table_set_number(table, COLUMN_io_bytes_read, row->bytes_read);
	table_set_number(table, COLUMN_io_writes, row->writes);
	table_set_number(table, COLUMN_io_bytes_written, row->bytes_written);
	table_set_number(table, COLUMN_io_bytes_mapped, row->bytes_mapped);
	table_set_number(table, COLUMN_io_total_ns, row->total_ns);
	if (all_ns)
		table_set_real(table, COLUMN_io_percent,
			       100.0 * (double)row->total_ns / (double)all_ns);
	table_set_number(table, COLUMN_io_max_ns, row->max_ns);
	table_set_number(table, COLUMN_io_errors, row->errors);
	put_sizes(table, row);
}

static void rows_io_row_join(struct io_row *into, struct io_row *from)
{
	into->calls += from->calls;
	into->opens += from->opens;
	into->reads += from->reads;
	into->writes += from->writes;
	into->errors += from->errors;
	into->bytes_read += from->bytes_read;
	into->bytes_written += from->bytes_written;
	into->bytes_mapped += from->bytes_mapped;
	into->total_ns += from->total_ns;
	into->transfer_ns += from->transfer_ns;
	into->accesses += from->accesses;
	into->jumps += from->jumps;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
	histogram_merge(&into->sizes, &from->sizes);
	histogram_release(&from->sizes);
	*from = (struct io_row){ .key = from->key, .kind = from->kind };
}

/*
 * Joins rows whose keys mean the same into the first of them, and returns which rows remain. The
 * caller owns the result.
 */
static bool *settle_rows(struct io_reading *reading)
{
	struct io *io = &reading->io;
	bool *is_row = memory_zero(io->row_count + 1, sizeof(*is_row)), added = true;
	bool settles = io->by == IO_BY_KEY && reading->key.kind && reading->key.kind->settle;
	struct map rows;

	map_init(&rows);
	for (size_t i = 0; i < io->row_count; i++) {
		struct io_row *row = &io->row[i];
		uint64_t words[2] = { row->key, row->kind };
		struct map_entry *first;

		is_row[i] = true;
		if (!settles)
			continue;
		row->key = words[0] = key_settle(&reading->key, row->key);
		is_row[i] = row->key != KEY_LEFT_OUT;
		if (!is_row[i])
			continue;
		first = map_put(&rows, map_hash_bytes(words, sizeof(words), 0), &added);
		is_row[i] = added;
		if (added)
			first->value = i;
		else
			rows_io_row_join(&io->row[first->value], row);
	}
	map_release(&rows);
	return is_row;
}

void io_fill_table(struct io_reading *reading, struct table *table)
{
	const struct io *io = &reading->io;
	uint64_t all_ns = io_total(io).total_ns;
	bool *is_row = settle_rows(reading);

	for (size_t i = 0; i < io->row_count; i++) {
		if (!is_row[i])
			continue;
		table_add_row(table);
		rows_io_put_key(table, reading, &io->row[i]);
		put_counters(table, &io->row[i], all_ns);
	}
	free(is_row);
}

struct io_disk io_disk(const struct run *run, struct source *source)
{
	struct io_disk disk = { .is_known = !run_filters(run)->any };
	struct source_process *const *process;
	size_t count = source_processes(source, &process);

	for (size_t i = 0; i < count && disk.is_known; i++) {
		disk.is_known = process[i]->disk_read && process[i]->disk_written;
		if (!disk.is_known)
			break;
		disk.read_bytes += process[i]->disk_read - 1;
		disk.written_bytes += process[i]->disk_written - 1;
	}
	return disk;
}

static void print_disk(const struct io_disk *disk, const struct screen *screen)
{
	char read[UNIT_TEXT_BYTES], written[UNIT_TEXT_BYTES];
	struct prose line;

	prose_begin(&line, screen);
	fprintf(line.screen.out,
		"the kernel read %s from disks for these processes (programs and read-ahead "
		"included) and writes %s there, now or later; the rest was in memory or is on no "
		"local disk",
		unit_format_bytes(read, disk->read_bytes),
		unit_format_bytes(written, disk->written_bytes));
	prose_end(&line, screen);
}

void io_print_short(const struct io_reading *reading, const struct screen *screen)
{
	char calls[UNIT_TEXT_BYTES], time[UNIT_TEXT_BYTES], least[UNIT_TEXT_BYTES];

	screen_print_prose(
		screen,
		"%s call%s below %s (INTERCEPT_IO_MIN) took %s together; they are in no "
		"row, because they were only added up",
		unit_format_count(calls, reading->short_calls), unit_plural(reading->short_calls),
		unit_format_ns(least, reading->least_ns), unit_format_ns(time, reading->short_ns));
}

void io_print_totals(const struct io_row *total, const struct io_disk *disk, uint64_t unfinished,
		     const struct screen *screen)
{
	char a[UNIT_TEXT_BYTES], b[UNIT_TEXT_BYTES], c[UNIT_TEXT_BYTES], d[UNIT_TEXT_BYTES];
	struct prose line;

	prose_begin(&line, screen);
	fprintf(line.screen.out, "%s read in %s call%s, %s written in %s",
		unit_format_bytes(a, total->bytes_read), unit_format_count(b, total->reads),
		unit_plural(total->reads), unit_format_bytes(c, total->bytes_written),
		unit_format_count(d, total->writes));
	fprintf(line.screen.out, "; %s call%s in all took %s", unit_format_count(a, total->calls),
		unit_plural(total->calls), unit_format_ns(b, total->total_ns));
	if (total->errors)
		fprintf(line.screen.out, ", %s failed", unit_format_count(c, total->errors));
	prose_end(&line, screen);
	if (unfinished)
		screen_print_prose(screen,
				   "%s call%s had not returned when the process ended (end not "
				   "recorded): the time is until then. So counts a call that its "
				   "thread left by longjmp(), if it recorded nothing afterwards",
				   unit_format_count(a, unfinished), unit_plural(unfinished));
	if (disk->is_known)
		print_disk(disk, screen);
	putc('\n', screen->out);
}
