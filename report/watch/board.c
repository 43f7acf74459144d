/* SPDX-License-Identifier: MIT */
/* Writes the lines of figures, then a list per kind. A figure that was not recorded has no line. */
#include "report/watch/board.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/captures/captures.h"
#include "report/base/text.h"
#include "report/base/units.h"
#include "report/watch/board_list.h"
#include "report/heap/heap.h"
#include "report/session/ranks.h"

#define SECOND_NS 1e9
#define MW_A_WATT 1000u
#define LINE_BYTES 1024
#define LIST_ROWS 8u     /* if the number of lines is unlimited */
#define LIST_ROWS_MIN 3u /* heading, names of columns, one row */
#define FIGURE 9         /* columns for a number */
#define GAP "   "        /* between figures */
#define TITLE 10u        /* columns for what a line's figures are of */
#define VERDICT_LINES 4u
#define VERDICT_LEAST 20u

/* Sums over all files. */
struct sums {
	uint64_t window[FOLLOWER_COUNTS], total[FOLLOWER_COUNTS];
	uint64_t window_ns, end_ns; /* the longest */
	uint64_t resident, largest, live_bytes, processes, living, threads;
	uint64_t lost, faults, bytes, step_processes, last_number, last_step_ns;
	uint32_t pid;
	const char *command;
	struct follower_window *of; /* by follower */
	bool has_heap, has_gpu, has_io;
	struct steps known; /* which phases are: its flags alone */
};

struct board_writer {
	const struct board *board;
	const struct screen *screen;
	size_t used; /* lines written */
};

/* --- totals --- */

static void sums_add_processes(struct sums *sums, const struct source *source)
{
	struct source_process *const *process;
	size_t count = source_processes(source, &process);
	struct source_thread *const *thread;
	size_t threads = source_threads(source, &thread);

	sums->processes += count;
	for (size_t i = 0; i < count; i++) {
		if (!sums->command && process[i]->command) {
			sums->pid = process[i]->pid;
			sums->command = source_name_text(process[i]->command);
		}
		if (process[i]->ended)
			continue;
		sums->living++;
		sums->resident += process[i]->memory_bytes;
		if (process[i]->memory_bytes > sums->largest)
			sums->largest = process[i]->memory_bytes;
	}
	for (size_t i = 0; i < threads; i++)
		sums->threads += !thread[i]->ended && !thread[i]->process->ended;
}

static void sums_add_losses(struct sums *sums, const struct source *source)
{
	const struct source_loss *loss;
	const struct source_fault *fault;
	size_t count = source_losses(source, &loss);

	for (size_t i = 0; i < count; i++)
		sums->lost += loss[i].count;
	sums->faults += source_faults(source, &fault);
}

static void board_sums_add(struct sums *sums, const struct follower *follower,
			   struct follower_window window)
{
	uint64_t end_ns = source_end_ns(follower->source);
	struct source_file *const *file;

	for (unsigned int i = 0; i < FOLLOWER_COUNTS; i++) {
		sums->total[i] += follower_count(follower, i);
		sums->window[i] += follower_count_in(follower, &window, i);
	}
	sums->window_ns = window.ns > sums->window_ns ? window.ns : sums->window_ns;
	sums->end_ns = end_ns > sums->end_ns ? end_ns : sums->end_ns;
	sums->live_bytes += follower->heap->totals.live_bytes;
	sums->step_processes += follower->steps->processes;
	sums->known.has_sample |= follower->loop->has_sample;
	sums->known.lacks_passes |= follower->loop->lacks_passes;
	sums->known.is_unsure |= follower->loop->is_unsure;
	sums->known.has_gpu_windows |= follower->loop->has_gpu_windows;
	if (follower->steps->last_number > sums->last_number)
		sums->last_number = follower->steps->last_number;
	if (follower->steps->last_ns)
		sums->last_step_ns = follower->steps->last_ns;
	source_files(follower->source, &file);
	sums->bytes += file[0]->bytes;
	sums_add_processes(sums, follower->source);
	sums_add_losses(sums, follower->source);
}

static void sums_make(struct sums *sums, const struct board *board)
{
	*sums = (struct sums){ .of = memory_zero(board->count + 1, sizeof(*sums->of)) };
	for (size_t i = 0; i < board->count; i++) {
		sums->of[i] = follower_window(board->follower[i]);
		board_sums_add(sums, board->follower[i], sums->of[i]);
	}
}

/* --- lines --- */

/* Writes one line, already escaped, cut to the width. */
static void board_put_line(struct board_writer *writer, const char *color, const char *line)
{
	char *shown = memory_grow(NULL, strlen(line) + 8, 1);
	size_t length = text_shorten_end(shown, line, strlen(line), writer->screen->width,
					 writer->screen->utf8 ? "\xe2\x80\xa6" : "~");

	writer->used++;
	if (color)
		screen_print(writer->screen, color, "%.*s", (int)length, shown);
	else
		fprintf(writer->screen->out, "%.*s", (int)length, shown);
	fputc('\n', writer->screen->out);
	free(shown);
}

/* What does not fit beside the first figures goes into lines below them, while there is room. */
static void board_put_figures(struct board_writer *writer, const char *color, char *line)
{
	bool has_room = !writer->board->rows || writer->used + 2 < writer->board->rows;
	size_t length = strlen(line), at = writer->screen->width;
	char rest[LINE_BYTES];

	if (!has_room || text_width(line, length) <= at)
		at = 0;
	while (at > TITLE && strncmp(line + at, GAP, sizeof(GAP) - 1) != 0)
		at--;
	if (at <= TITLE) {
		board_put_line(writer, color, line);
		return;
	}
	snprintf(rest, sizeof(rest), "%*s%s", (int)TITLE, "", line + at + sizeof(GAP) - 1);
	line[at] = 0;
	board_put_line(writer, color, line);
	board_put_figures(writer, color, rest);
}

static char *escape(char *shown, size_t room, const char *text)
{
	text_escape(shown, room, text, strlen(text));
	return shown;
}

static double in_seconds(const struct sums *sums)
{
	return sums->window_ns ? (double)sums->window_ns / SECOND_NS : 1;
}

/* A rate per second, in that unit. */
static const char *rate(char text[UNIT_TEXT_BYTES], const struct sums *sums,
			enum follower_count which, enum unit unit)
{
	return unit_format(text, unit,
			   (uint64_t)((double)sums->window[which] / in_seconds(sums) + 0.5));
}

static void board_put_head(struct board_writer *writer, const struct sums *sums)
{
	const struct board *board = writer->board;
	char line[LINE_BYTES], name[LINE_BYTES / 4], command[LINE_BYTES / 2] = "",
									  time[UNIT_TEXT_BYTES];
	const char *state = board->has_ended ? "has ended" : "running";
	int used;

	escape(name, sizeof(name), board->name);
	if (!board->count) {
		snprintf(line, sizeof(line), "%s  waiting for its program to start", name);
		board_put_line(writer, SCREEN_BOLD, line);
		return;
	}
	if (sums->command)
		escape(command, sizeof(command), sums->command);
	used = snprintf(line, sizeof(line), "%s  %s, %s", name, state,
			unit_format(time, UNIT_NS, sums->end_ns));
	if (sums->pid) /* otherwise this cannot be told from what is there */
		snprintf(line + used, sizeof(line) - (size_t)used, "  pid %u  %s", sums->pid,
			 command);
	board_put_line(writer, SCREEN_BOLD, line);
}

/* Lines of whole words, the first with a title. */
static void board_put_stuck(struct board_writer *writer, const struct sums *sums)
{
	size_t width = writer->screen->width > TITLE + VERDICT_LEAST ? writer->screen->width - TITLE
								     : VERDICT_LEAST;
	const char *at = writer->board->verdict;

	(void)sums;
	for (unsigned int i = 0; at && *at && i < VERDICT_LINES; i++) {
		size_t length = strlen(at), used = length;
		char line[LINE_BYTES];

		for (used = length <= width ? length : width; length > width && used > 1; used--)
			if (at[used] == ' ')
				break;
		used = used > 1 ? used : width;
		if (i + 1 == VERDICT_LINES)
			used = length; /* cut, as lines are */
		snprintf(line, sizeof(line), "%-*s%.*s", (int)TITLE, i ? "" : "stuck", (int)used,
			 at);
		board_put_line(writer, SCREEN_RED, line);
		at += used;
		at += *at == ' ';
	}
}

static void board_put_steps(struct board_writer *writer, const struct sums *sums)
{
	char line[LINE_BYTES], last[UNIT_TEXT_BYTES], all[UNIT_TEXT_BYTES];
	double each = (double)sums->window[FOLLOWER_STEPS] / in_seconds(sums) /
		      (double)(sums->step_processes ? sums->step_processes : 1);
	int used;

	if (!sums->step_processes)
		return;
	used = snprintf(line, sizeof(line), "steps     %.3g/s", each);
	if (sums->step_processes > 1)
		used += snprintf(line + used, sizeof(line) - (size_t)used,
				 " in each of %llu processes",
				 (unsigned long long)sums->step_processes);
	if (sums->last_step_ns)
		used += snprintf(line + used, sizeof(line) - (size_t)used, "   last one %s",
				 unit_format(last, UNIT_NS, sums->last_step_ns));
	snprintf(line + used, sizeof(line) - (size_t)used, "   %s in all, last number %llu",
		 unit_format(all, UNIT_COUNT, sums->total[FOLLOWER_STEPS]),
		 (unsigned long long)sums->last_number);
	board_put_figures(writer, NULL, line);
}

/* Of steps that have ended; with a GPU some seconds after it has worked. */
static void board_put_phases(struct board_writer *writer, const struct sums *sums)
{
	uint64_t all_ns = sums->window[FOLLOWER_STEP_NS];
	char line[LINE_BYTES];
	int used = snprintf(line, sizeof(line), "phases   ");

	if (!all_ns)
		return;
	for (unsigned int i = 0; i < STEP_PHASE_LIMIT; i++) {
		uint64_t ns = sums->window[FOLLOWER_PHASES + i];

		if (ns && steps_know_phase(&sums->known, (enum step_phase)i))
			used += snprintf(line + used, sizeof(line) - (size_t)used, " %s %.0f %%",
					 steps_phase_name(&sums->known, (enum step_phase)i),
					 100 * (double)ns / (double)all_ns);
	}
	if (!sums->total[FOLLOWER_STEP_GPU_NS])
		;
	else if (!sums->window[FOLLOWER_STEP_DETAIL_NS])
		snprintf(line + used, sizeof(line) - (size_t)used, "   GPU not recorded");
	else
		snprintf(line + used, sizeof(line) - (size_t)used, "   GPU busy %.0f %%%s",
			 100 * (double)sums->window[FOLLOWER_STEP_GPU_NS] /
				 (double)sums->window[FOLLOWER_STEP_DETAIL_NS],
			 sums->known.has_gpu_windows ? " where recorded" : "");
	board_put_figures(writer, NULL, line);
}

/* The 99th percentile is that of all requests so far. */
static void board_put_requests(struct board_writer *writer, const struct sums *sums)
{
	const struct board *board = writer->board;
	char line[LINE_BYTES], mean[UNIT_TEXT_BYTES], p99[UNIT_TEXT_BYTES], all[UNIT_TEXT_BYTES];
	uint64_t count = sums->window[FOLLOWER_REQUESTS];
	struct timing time = { 0 };
	int used;

	if (!sums->total[FOLLOWER_REQUESTS])
		return;
	for (size_t i = 0; i < board->count; i++) {
		struct timing more = requests_time(board->follower[i]->requests);

		timing_merge(&time, &more);
		timing_release(&more);
	}
	used = snprintf(line, sizeof(line), "requests  %.3g/s", (double)count / in_seconds(sums));
	if (count)
		used += snprintf(
			line + used, sizeof(line) - (size_t)used, "   mean %s",
			unit_format(mean, UNIT_NS, sums->window[FOLLOWER_REQUEST_NS] / count));
	snprintf(line + used, sizeof(line) - (size_t)used, "   %s in all, p99 %s",
		 unit_format(all, UNIT_COUNT, sums->total[FOLLOWER_REQUESTS]),
		 unit_format(p99, UNIT_NS, timing_percentile(&time, 99)));
	timing_release(&time);
	board_put_figures(writer, NULL, line);
}

static void board_put_cpu(struct board_writer *writer, const struct sums *sums)
{
	char line[LINE_BYTES], memory[UNIT_TEXT_BYTES], all[UNIT_TEXT_BYTES];
	uint64_t processes = writer->board->has_ended ? sums->processes : sums->living;
	int used = snprintf(line, sizeof(line), "cpu       %.2f cores   %s in all   %llu process%s",
			    (double)sums->window[FOLLOWER_CPU_NS] / SECOND_NS / in_seconds(sums),
			    unit_format(all, UNIT_NS, sums->total[FOLLOWER_CPU_NS]),
			    (unsigned long long)processes, processes == 1 ? "" : "es");

	if (!writer->board->has_ended)
		used += snprintf(line + used, sizeof(line) - (size_t)used,
				 ", %llu thread%s   memory %s", (unsigned long long)sums->threads,
				 sums->threads == 1 ? "" : "s",
				 unit_format(memory, UNIT_BYTES, sums->largest));
	/* memory shared by processes is resident in each of them */
	if (!writer->board->has_ended && sums->living > 1)
		snprintf(line + used, sizeof(line) - (size_t)used,
			 " in the largest, at most %s in all",
			 unit_format(memory, UNIT_BYTES, sums->resident));
	board_put_figures(writer, NULL, line);
}

static void board_put_heap(struct board_writer *writer, const struct sums *sums)
{
	char line[LINE_BYTES], live[UNIT_TEXT_BYTES], calls[UNIT_TEXT_BYTES],
		bytes[UNIT_TEXT_BYTES];

	if (!sums->total[FOLLOWER_ALLOCATIONS])
		return;
	snprintf(line, sizeof(line), "heap      %s live   %s/s allocated in %s calls/s",
		 unit_format(live, UNIT_BYTES, sums->live_bytes),
		 rate(bytes, sums, FOLLOWER_ALLOCATED, UNIT_BYTES),
		 rate(calls, sums, FOLLOWER_ALLOCATIONS, UNIT_COUNT));
	board_put_figures(writer, NULL, line);
}

static void board_put_gpu(struct board_writer *writer, const struct sums *sums)
{
	char line[LINE_BYTES], copied[UNIT_TEXT_BYTES], all[UNIT_TEXT_BYTES];

	if (!sums->total[FOLLOWER_GPU_NS] && !sums->total[FOLLOWER_COPIED])
		return;
	if (sums->known.has_gpu_windows) {
		snprintf(line, sizeof(line),
			 "gpu       %s in kernels, in the steps in which it was recorded",
			 unit_format(all, UNIT_NS, sums->total[FOLLOWER_GPU_NS]));
		board_put_figures(writer, NULL, line);
		return;
	}
	snprintf(line, sizeof(line),
		 "gpu       %.0f %% of the time in kernels   %s in all   %s/s copied",
		 100 * (double)sums->window[FOLLOWER_GPU_NS] / SECOND_NS / in_seconds(sums),
		 unit_format(all, UNIT_NS, sums->total[FOLLOWER_GPU_NS]),
		 rate(copied, sums, FOLLOWER_COPIED, UNIT_BYTES));
	board_put_figures(writer, NULL, line);
}

/* The newest sample of a card that is in the files of several ranks. */
static bool card_is_newest(const struct board *board, size_t at, const struct device_card *card)
{
	const char *uuid = source_name_text(
		source_name_at(board->follower[at]->source, card->uuid));

	for (size_t i = 0; i < board->count; i++) {
		const struct device_states *states = board->follower[i]->devices;

		for (size_t j = 0; j < states->count && i != at; j++) {
			const struct device_card *other = &states->card[j];

			if (!strcmp(uuid, source_name_text(source_name_at(
						  board->follower[i]->source, other->uuid))) &&
			    (other->last_ns > card->last_ns ||
			     (other->last_ns == card->last_ns && i < at)))
				return false;
		}
	}
	return true;
}

/* "1,215 of 1,980 MHz": `field` and `limit` hold an answer plus 1, or 0 without one. */
static size_t board_add_answer(char *line, size_t room, uint64_t field, uint64_t limit,
			       const char *unit)
{
	if (!field)
		return 0;
	if (!limit)
		return (size_t)snprintf(line, room, "   %llu %s", (unsigned long long)field - 1,
					unit);
	return (size_t)snprintf(line, room, "   %llu of %llu %s", (unsigned long long)field - 1,
				(unsigned long long)limit - 1, unit);
}

static void board_put_card(struct board_writer *writer, const struct follower *follower,
			   const struct device_card *card)
{
	const struct evt_device_sample *last = &card->last;
	char line[LINE_BYTES], model[LINE_BYTES / 4], reasons[DEVICE_REASONS_BYTES] = "";
	bool is_throttled = device_sample_is_throttled(last);
	size_t used;

	escape(model, sizeof(model),
	       source_name_text(source_name_at(follower->source, card->model)));
	if (last->reasons)
		device_reasons_text(reasons, last->reasons - 1);
	used = (size_t)snprintf(line, sizeof(line), "device    %s", model);
	used += board_add_answer(line + used, sizeof(line) - used, last->sm_clock_mhz,
				 card->told.max_sm_clock_mhz, "MHz");
	used += board_add_answer(
		line + used, sizeof(line) - used,
		last->power_mw ? (last->power_mw - 1) / MW_A_WATT + 1 : 0,
		card->told.power_limit_mw ? (card->told.power_limit_mw - 1) / MW_A_WATT + 1 : 0,
		"W");
	used += board_add_answer(line + used, sizeof(line) - used, last->temperature_c, 0, "C");
	if (card->is_lost)
		snprintf(line + used, sizeof(line) - used, "   was lost");
	else if (*reasons)
		snprintf(line + used, sizeof(line) - used, "   %s by %s",
			 is_throttled ? "throttled" : "held down", reasons);
	board_put_figures(writer, is_throttled || card->is_lost ? SCREEN_RED : NULL, line);
}

/* The state of each GPU, as NVML told last. */
static void board_put_devices(struct board_writer *writer, const struct sums *sums)
{
	const struct board *board = writer->board;

	(void)sums;
	for (size_t i = 0; i < board->count; i++) {
		const struct device_states *states = board->follower[i]->devices;

		for (size_t j = 0; j < states->count; j++) {
			if (board->rows && writer->used + 1 >= board->rows)
				return;
			if (states->card[j].samples && card_is_newest(board, i, &states->card[j]))
				board_put_card(writer, board->follower[i], &states->card[j]);
		}
	}
}

static void board_put_collections(struct board_writer *writer, const struct sums *sums)
{
	char line[LINE_BYTES], each[UNIT_TEXT_BYTES], all[UNIT_TEXT_BYTES], count[UNIT_TEXT_BYTES];

	if (!sums->total[FOLLOWER_COLLECTIONS])
		return;
	snprintf(line, sizeof(line), "gc        %.1f %% of the time, %s/s   %s in all, %s",
		 100 * (double)sums->window[FOLLOWER_COLLECTION_NS] / SECOND_NS / in_seconds(sums),
		 rate(each, sums, FOLLOWER_COLLECTIONS, UNIT_COUNT),
		 unit_format(all, UNIT_NS, sums->total[FOLLOWER_COLLECTION_NS]),
		 unit_format(count, UNIT_COUNT, sums->total[FOLLOWER_COLLECTIONS]));
	board_put_figures(writer, NULL, line);
}

static void put_io(struct board_writer *writer, const struct sums *sums)
{
	char line[LINE_BYTES], text[4][UNIT_TEXT_BYTES];

	if (!sums->total[FOLLOWER_READ] && !sums->total[FOLLOWER_WRITTEN])
		return;
	snprintf(line, sizeof(line), "io        %s/s read, %s/s written   %s and %s in all",
		 rate(text[0], sums, FOLLOWER_READ, UNIT_BYTES),
		 rate(text[1], sums, FOLLOWER_WRITTEN, UNIT_BYTES),
		 unit_format(text[2], UNIT_BYTES, sums->total[FOLLOWER_READ]),
		 unit_format(text[3], UNIT_BYTES, sums->total[FOLLOWER_WRITTEN]));
	board_put_figures(writer, NULL, line);
}

static void board_put_file(struct board_writer *writer, const struct sums *sums)
{
	char line[LINE_BYTES], bytes[UNIT_TEXT_BYTES], events[UNIT_TEXT_BYTES];
	size_t count = writer->board->count;

	snprintf(line, sizeof(line), "recorded  %s in %zu file%s, %s events/s",
		 unit_format(bytes, UNIT_BYTES, sums->bytes), count, count == 1 ? "" : "s",
		 rate(events, sums, FOLLOWER_RECORDS, UNIT_COUNT));
	board_put_line(writer, NULL, line);
}

/* The captures on request, and what rules have kept. */
static void board_put_captures(struct board_writer *writer, const struct sums *sums)
{
	char line[LINE_BYTES], kept[CAPTURES_KEPT_BYTES];
	size_t captures = 0;

	(void)sums;
	for (size_t i = 0; i < writer->board->count; i++)
		captures += captures_recorded(writer->board->follower[i]->captures);
	if (captures) {
		snprintf(line, sizeof(line), "captures  %zu", captures);
		board_put_line(writer, NULL, line);
	}
	for (size_t i = 0; i < writer->board->count; i++) {
		if (!*captures_say_kept(writer->board->follower[i]->captures, kept))
			continue;
		snprintf(line, sizeof(line), "%.*s", (int)sizeof(line) - 1, kept);
		board_put_line(writer, NULL, line);
	}
}

static void put_trouble(struct board_writer *writer, const struct sums *sums)
{
	char line[LINE_BYTES], lost[UNIT_TEXT_BYTES], name[LINE_BYTES / 2];

	if (sums->lost) {
		snprintf(line, sizeof(line), "lost      %s event%s: the figures are too low",
			 unit_format(lost, UNIT_COUNT, sums->lost), unit_plural(sums->lost));
		board_put_line(writer, SCREEN_RED, line);
	}
	if (sums->faults) {
		snprintf(line, sizeof(line), "damaged   %llu place%s; prof-report check says where",
			 (unsigned long long)sums->faults, unit_plural(sums->faults));
		board_put_line(writer, SCREEN_RED, line);
	}
	for (size_t i = 0; i < writer->board->count; i++) {
		const struct follower *follower = writer->board->follower[i];

		if (!follower->is_gone && !follower->is_cut_short)
			continue;
		snprintf(line, sizeof(line), "%s  %s",
			 follower->is_cut_short ? "cut short" : "moved    ",
			 escape(name, sizeof(name), follower->path));
		board_put_line(writer, SCREEN_RED, line);
	}
}

/* --- lists --- */

static void put_list_head(struct board_writer *writer, const struct watch_kind *kind,
			  const struct sums *sums)
{
	char line[LINE_BYTES], title[LINE_BYTES / 4], time[UNIT_TEXT_BYTES];

	snprintf(title, sizeof(title), "%s, the last %s", kind->title,
		 unit_format(time, UNIT_NS, sums->window_ns));
	snprintf(line, sizeof(line), "%6s %*s %*s %*s  %s", "share", FIGURE, kind->heading[0],
		 FIGURE, kind->heading[1], FIGURE, "in all", title);
	board_put_line(writer, SCREEN_BOLD, line);
}

static void board_put_row(struct board_writer *writer, const struct watch_kind *kind,
			  const struct board_list *list, const struct board_row *row)
{
	char text[3][UNIT_TEXT_BYTES], figures[LINE_BYTES], *line, *shown, *cut;
	size_t length = strlen(row->name), room = text_escape_room(length), used, width;
	double share = list->window_sum ? 100.0 * (double)row->window[0] / (double)list->window_sum
					: 0;

	used = (size_t)snprintf(figures, sizeof(figures), "%5.1f%% %*s %*s %*s  ", share, FIGURE,
				unit_format(text[0], kind->unit[0], row->window[0]), FIGURE,
				unit_format(text[1], kind->unit[1], row->window[1]), FIGURE,
				unit_format(text[2], kind->unit[0], row->total[0]));
	shown = memory_grow(NULL, room + 1, 1);
	cut = memory_grow(NULL, room + 8, 1);
	length = text_escape(shown, room + 1, row->name, length);
	width = writer->screen->width > used + 8 ? writer->screen->width - used : 8;
	length = (kind->is_long ? text_shorten_end : text_shorten)(
		cut, shown, length, width, writer->screen->utf8 ? "\xe2\x80\xa6" : "~");
	line = memory_grow(NULL, used + length + 1, 1);
	snprintf(line, used + length + 1, "%s%.*s", figures, (int)length, cut);
	board_put_line(writer, NULL, line);
	free(line);
	free(shown);
	free(cut);
}

static void board_put_list(struct board_writer *writer, const struct watch_kind *kind,
			   const struct board_list *list, const struct sums *sums, size_t rows)
{
	char line[LINE_BYTES];

	board_put_line(writer, NULL, "");
	put_list_head(writer, kind, sums);
	for (size_t i = 0; i < list->count && i < rows; i++)
		board_put_row(writer, kind, list, &list->row[i]);
	if (list->count > rows && !writer->board->rows) {
		snprintf(line, sizeof(line), "%6s and %zu more", "", list->count - rows);
		board_put_line(writer, SCREEN_DIM, line);
	}
}

/* Divides the remaining lines among the lists; short lists leave theirs to the others. */
static void share_rows(struct board_writer *writer, const struct board_list list[WATCH_KINDS],
		       size_t ret_rows[WATCH_KINDS])
{
	size_t left = writer->board->rows > writer->used + 1
			      ? writer->board->rows - writer->used - 1
			      : 0;
	bool grew = true;

	for (unsigned int i = 0; i < WATCH_KINDS; i++) {
		size_t wanted = list[i].count < LIST_ROWS ? list[i].count : LIST_ROWS;

		ret_rows[i] = writer->board->rows ? 0 : wanted;
		if (!writer->board->rows || !list[i].count || left < LIST_ROWS_MIN)
			continue;
		ret_rows[i] = 1;
		left -= LIST_ROWS_MIN;
	}
	while (writer->board->rows && left && grew) {
		grew = false;
		for (unsigned int i = 0; i < WATCH_KINDS && left; i++) {
			if (!ret_rows[i] || ret_rows[i] >= list[i].count)
				continue;
			ret_rows[i]++;
			left--;
			grew = true;
		}
	}
}

static void put_lists(struct board_writer *writer, const struct sums *sums)
{
	struct board_list list[WATCH_KINDS];
	size_t rows[WATCH_KINDS];

	for (unsigned int kind = 0; kind < WATCH_KINDS; kind++) {
		board_list_init(&list[kind]);
		for (size_t i = 0; i < writer->board->count; i++)
			board_list_add(&list[kind], writer->board->follower[i], &sums->of[i], kind);
		board_list_sort(&list[kind]);
	}
	share_rows(writer, list, rows);
	for (unsigned int kind = 0; kind < WATCH_KINDS; kind++) {
		if (rows[kind])
			board_put_list(writer, &watch_kinds[kind], &list[kind], sums, rows[kind]);
		board_list_release(&list[kind]);
	}
}

void board_print(const struct board *board, const struct screen *screen)
{
	static void (*const parts[])(struct board_writer *, const struct sums *) = {
		board_put_head,     board_put_stuck,       board_put_steps, board_put_phases,
		board_put_requests, board_put_cpu,         board_put_heap,  board_put_gpu,
		board_put_devices,  board_put_collections, put_io,          board_put_file,
		board_put_captures, put_trouble,           put_lists
	};
	struct board_writer writer = { board, screen, 0 };
	struct sums sums;

	sums_make(&sums, board);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if ((board->count || i == 0) &&
		    (!board->rows || writer.used + 1 < board->rows || !i))
			parts[i](&writer, &sums);
	if (board->is_live && board->rows > writer.used)
		screen_print(screen, SCREEN_DIM, "q ends");
	free(sums.of);
}
