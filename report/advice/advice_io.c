/* SPDX-License-Identifier: MIT */
/*
 * Rules about reading files, if input and output was recorded. The time in a call does not say what
 * it was spent on, so no sentence claims a slow disk, or data from memory.
 */
#include <stdio.h>
#include <string.h>

#include "report/advice/bottleneck.h"
#include "report/advice/place_text.h"
#include "report/base/units.h"
#include "report/io/io_events.h"

#define SMALL_READ_BYTES 4096u
#define SMALL_READS_MIN 1000u /* reads of all such files */
/* reads per opening: a module that is imported has two or three */
#define SMALL_READS_EACH 16u
#define OTHERS_BYTES (64u + 2 * UNIT_TEXT_BYTES)
#define OPENS_MANY 100u
#define DATALOADER_SHARE_MIN 10 /* %, as of advice dataloader */
#define DATALOADER_NAME "DataLoader"

static double advice_io_share_of(uint64_t ns, uint64_t all_ns)
{
	return all_ns ? 100.0 * (double)ns / (double)all_ns : 0;
}

static void file_text(const struct bottleneck *bottleneck, const struct io_row *row,
		      char shown[PLACE_NAME_BYTES])
{
	bool is_known = row->key < IO_UNKNOWN_FILE;

	place_name(is_known ? source_name_at(bottleneck->source, (uint32_t)row->key) : NULL, shown);
}

/* The files that a rule is about, and the one with the most time. */
struct files {
	const struct io_row *worst;
	uint64_t ns, reads;
	size_t count;
};

static struct files files_that(const struct bottleneck *bottleneck,
			       bool (*are)(const struct io_row *row))
{
	const struct io *io = &bottleneck->io_by_file->io;
	struct files files = { 0 };

	for (size_t i = 0; i < io->row_count; i++) {
		const struct io_row *row = &io->row[i];

		if (row->kind != IO_KIND_FILE || !are(row))
			continue;
		files.ns += row->total_ns;
		files.reads += row->reads;
		files.count++;
		if (!files.worst || row->total_ns > files.worst->total_ns)
			files.worst = row;
	}
	return files;
}

static bool is_read_in_bits(const struct io_row *row)
{
	uint64_t opens = row->opens ? row->opens : 1;

	if (!row->reads || row->bytes_read / row->reads >= SMALL_READ_BYTES)
		return false;
	return row->reads >= SMALL_READS_MIN || row->reads / opens >= SMALL_READS_EACH;
}

/* Writes how many others there are if the file is one of many. */
static void others_text(const struct files *files, char shown[OTHERS_BYTES])
{
	char reads[UNIT_TEXT_BYTES], count[UNIT_TEXT_BYTES];

	shown[0] = 0;
	if (files->count > 1)
		snprintf(shown, OTHERS_BYTES, ", and all %s files that are read so have %s",
			 unit_format_count(count, files->count),
			 unit_format_count(reads, files->reads));
}

bool advice_small_reads(const struct bottleneck *bottleneck, struct advice *advice)
{
	char reads[UNIT_TEXT_BYTES], bytes[UNIT_TEXT_BYTES], time[UNIT_TEXT_BYTES],
		file[PLACE_NAME_BYTES], others[OTHERS_BYTES];
	struct files files;

	if (bottleneck->io_by_file->short_calls)
		return false; /* files do not have all of their calls */
	files = files_that(bottleneck, is_read_in_bits);
	if (files.reads < SMALL_READS_MIN)
		return false;
	if (!advice_exceeds(advice, advice_io_share_of(files.ns, bottleneck->wall_ns)))
		return false;
	file_text(bottleneck, files.worst, file);
	others_text(&files, others);
	advice_say(advice,
		   "calls on files that are read in small pieces took %s, %.1f %% of the run: %s "
		   "has %s reads of %s on average%s.",
		   unit_format_ns(time, files.ns), advice->value, file,
		   unit_format_count(reads, files.worst->reads),
		   unit_format_bytes(bytes, files.worst->bytes_read / files.worst->reads), others);
	return true;
}

static bool is_opened_often(const struct io_row *row)
{
	return row->opens >= OPENS_MANY && !row->bytes_written && row->bytes_read;
}

bool advice_reopened_files(const struct bottleneck *bottleneck, struct advice *advice)
{
	char opens[UNIT_TEXT_BYTES], bytes[UNIT_TEXT_BYTES], time[UNIT_TEXT_BYTES],
		file[PLACE_NAME_BYTES];
	struct files files;

	if (bottleneck->io_by_file->short_calls)
		return false;
	files = files_that(bottleneck, is_opened_often);
	if (!advice_exceeds(advice, advice_io_share_of(files.ns, bottleneck->wall_ns)))
		return false;
	file_text(bottleneck, files.worst, file);
	advice_say(advice,
		   "calls on files that are opened again and again took %s, %.1f %% of the run: "
		   "%s was opened %s times, and %s read each time.",
		   unit_format_ns(time, files.ns), advice->value, file,
		   unit_format_count(opens, files.worst->opens),
		   unit_format_bytes(bytes, files.worst->bytes_read / files.worst->opens));
	return true;
}

/* --- the data loader --- */

/* Returns the workers' time in calls on files, and how long they lived. */
static uint64_t workers_file_ns(const struct bottleneck *bottleneck, uint64_t *ret_lived_ns)
{
	const struct io *io = &bottleneck->io_by_process->io;
	struct source_process *const *process;
	uint64_t ns = 0;

	source_processes(bottleneck->source, &process);
	for (size_t i = 0; i < io->row_count; i++) {
		const struct source_process *p = process[io->row[i].key];

		if (io->row[i].kind != IO_KIND_FILE || !bottleneck_is_worker(p))
			continue;
		ns += io->row[i].total_ns;
		*ret_lived_ns += p->end_ns - p->start_ns;
	}
	return ns;
}

/*
 * Without workers: returns the time in calls on files below DataLoader.__next__, without other
 * operators in between.
 */
static uint64_t loader_file_ns(const struct bottleneck *bottleneck)
{
	const struct io *io = &bottleneck->io_by_operator->io;
	const struct run_key *key = &bottleneck->io_by_operator->key;
	uint64_t ns = 0;
	size_t length;

	for (size_t i = 0; i < io->row_count; i++) {
		const char *text;

		if (io->row[i].kind != IO_KIND_FILE || !io->row[i].key)
			continue;
		text = key->kind->text(key->state, io->row[i].key, &length);
		if (memmem(text, length, DATALOADER_NAME, strlen(DATALOADER_NAME)))
			ns += io->row[i].total_ns;
	}
	return ns;
}

bool advice_dataloader_files(const struct bottleneck *bottleneck, struct advice *advice)
{
	uint64_t waited_ns = bottleneck->loop.ns[STEP_dataloader], lived_ns = 0, ns;
	char time[UNIT_TEXT_BYTES], workers[UNIT_TEXT_BYTES];

	if (bottleneck_share(bottleneck, waited_ns) <= DATALOADER_SHARE_MIN)
		return false;
	if (!bottleneck->workers && bottleneck->has_workers)
		return false; /* their files were not recorded */
	if (!bottleneck->workers) {
		ns = loader_file_ns(bottleneck);
		if (!advice_exceeds(advice,
				    advice_io_share_of(ns, bottleneck->steps->ns[STEP_dataloader])))
			return false;
		advice_say(
			advice,
			"%s%.1f %% of the time that the loop waits for the DataLoader is spent in "
			"calls on files, %s; there are no workers.",
			bottleneck->io_by_operator->short_calls ? "at least " : "",
			advice->value < 100 ? advice->value : 100, unit_format_ns(time, ns));
		advice->todo = "Use fewer and larger files, keep samples in memory or on nearer "
			       "storage, read fewer bytes a sample, or let workers of the "
			       "DataLoader read ahead.";
		return true;
	}
	ns = workers_file_ns(bottleneck, &lived_ns);
	if (!advice_exceeds(advice, advice_io_share_of(ns, lived_ns)))
		return false;
	advice_say(advice,
		   "the DataLoader's %s worker%s spent %s%.1f %% of their time in calls on files, "
		   "%s in "
		   "all, and the loop waits for them.",
		   unit_format_count(workers, bottleneck->workers),
		   bottleneck->workers > 1 ? "s" : "",
		   bottleneck->io_by_process->short_calls ? "at least " : "", advice->value,
		   unit_format_ns(time, ns));
	return true;
}
