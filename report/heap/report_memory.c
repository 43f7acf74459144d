/* SPDX-License-Identifier: MIT */
/* Report `memory`: what resident memory consists of. */
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/text.h"
#include "report/options/keys.h"
#include "report/core/known.h"
#include "report/core/report_kind.h"
#include "report/heap/resident.h"
#include "report/session/holes.h"
#include "report/session/limitations.h"
#include "report/table/curve_print.h"

#define NAME_WIDTH 40       /* columns of a command */
#define REST_SHARE_MIN 0.02 /* a smaller share is not worth an explanation */

struct memory_state {
	struct resident *resident;
	uint32_t index;                      /* index of the process that had the most */
	const struct resident_process *most; /* NULL: no process was seen */
};

/* --- by kind --- */

static bool is_counted(const char *known)
{
	return !strcmp(known, "counted");
}

/*
 * The kernel's counters are known at both moments. The rest is known while blocks and mappings were
 * recorded.
 */
static void report_memory_put_row(const struct memory_state *state, struct table *table,
				  const char *kind, const struct resident_row *bytes,
				  const char *known)
{
	const struct resident_moment *peak = &state->most->peak, *end = &state->most->end;
	uint64_t all = peak->resident;
	bool has_peak = peak->has_blocks || is_counted(known);

	table_add_row(table);
	table_set_text(table, COLUMN_memory_kind, kind, strlen(kind));
	if (has_peak)
		table_set_number(table, COLUMN_memory_peak_bytes, bytes->at_peak);
	if (end->has_blocks || is_counted(known))
		table_set_number(table, COLUMN_memory_end_bytes, bytes->at_end);
	table_set_text(table, COLUMN_memory_known, known, strlen(known));
	/* more may have been requested than was touched */
	if (all && has_peak && bytes->at_peak <= all)
		table_set_real(table, COLUMN_memory_percent,
			       100.0 * (double)bytes->at_peak / (double)all);
}

struct mapped_part {
	const char *kind, *name;
	size_t length;
	struct resident_row bytes;
};

static const char *row_kind(const struct mapping_row *row)
{
	return row->is_python ? "Python's arenas" : "mapped memory";
}

/*
 * Rows of the process by kind and module, without those that are no memory or are counted as
 * shared.
 */
static size_t gather_mapped(const struct memory_state *state, struct mapped_part *part)
{
	const struct resident *resident = state->resident;
	const struct mappings *mappings = resident->mappings;
	size_t count = 0, at;

	for (size_t i = 0; i < mappings->row_count && i < resident->row_room; i++) {
		const struct mapping_row *row = &mappings->row[i];
		const struct resident_row *bytes = &resident->row[i];
		struct mapped_part mine = { .kind = row_kind(row), .name = "" };
		const char *name = mapping_row_module(row, resident->source, &mine.length);

		if (row->process != state->index || row->kind == MAPPING_SHARED ||
		    row->kind == MAPPING_RESERVED || (!bytes->at_peak && !bytes->at_end))
			continue;
		mine.name = name ? name : "";
		mine.length = name ? mine.length : 0;
		for (at = 0; at < count; at++)
			if (part[at].kind == mine.kind && part[at].length == mine.length &&
			    !memcmp(part[at].name, mine.name, mine.length))
				break;
		if (at == count)
			part[count++] = mine;
		part[at].bytes.at_peak += bytes->at_peak;
		part[at].bytes.at_end += bytes->at_end;
	}
	return count;
}

static void put_mapped(const struct memory_state *state, struct table *table)
{
	struct mapped_part *part = memory_zero(MAPPING_ROWS_MAX, sizeof(*part));
	size_t count = gather_mapped(state, part);

	for (size_t i = 0; i < count; i++) {
		report_memory_put_row(state, table, part[i].kind, &part[i].bytes, "at most");
		if (part[i].length)
			table_set_text(table, COLUMN_memory_by, part[i].name, part[i].length);
	}
	free(part);
}

static void fill_kinds(const struct memory_state *state, struct table *table)
{
	const struct resident_moment *peak = &state->most->peak, *end = &state->most->end;
	bool has_blocks = peak->has_blocks || end->has_blocks;
	bool has_kept = resident_kept(peak) || resident_kept(end);
	bool is_sample = state->resident->heap->totals.sampled;
	const char *heap_known = is_sample ? "about" : "at most";
	const struct {
		const char *kind, *known;
		struct resident_row bytes;
		bool is_told;
	} rows[] = {
		{ "heap: tensors",
		  heap_known,
		  { peak->tensors, end->tensors },
		  peak->tensors || end->tensors },
		{ "heap: blocks",
		  heap_known,
		  { peak->heap - peak->tensors, end->heap - end->tensors },
		  peak->heap || end->heap },
		{ "files", "counted", { peak->file, end->file }, peak->has_kinds },
		{ "shared memory", "counted", { peak->shared, end->shared }, peak->has_kinds },
		{ "heap: freed, kept by malloc",
		  "about",
		  { resident_kept(peak), resident_kept(end) },
		  has_kept },
		{ "not explained",
		  has_kept || is_sample ? "about" : "at least",
		  { resident_rest(peak), resident_rest(end) },
		  peak->has_kinds && has_blocks },
		{ "anonymous memory",
		  "counted",
		  { peak->anonymous, end->anonymous },
		  peak->has_kinds && !has_blocks },
	};

	put_mapped(state, table);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].is_told)
			report_memory_put_row(state, table, rows[i].kind, &rows[i].bytes,
					      rows[i].known);
}

/* --- by process --- */

/*
 * Returns the kernel's peak of the whole life; 0 if unknown or if only a part of the run was asked
 * for.
 */
static uint64_t kernel_peak(const struct memory_state *state, const struct source_process *process)
{
	const struct selection *filters = run_filters(state->resident->run);

	if (filter_cuts_lives(&filters->settings) ||
	    (filters->any && !run_events_of_process(state->resident->run, process)))
		return 0;
	return process->memory_peak_bytes;
}

/*
 * Returns the process with the highest kernel peak, which may have ended before the first look at
 * its memory; NULL: none is known.
 */
static const struct source_process *kernel_most(const struct memory_state *state)
{
	struct source_process *const *process, *most = NULL;
	size_t count = source_processes(state->resident->source, &process);

	for (size_t i = 0; i < count; i++) {
		uint64_t bytes = kernel_peak(state, process[i]);

		if (bytes && (!most || bytes > most->memory_peak_bytes))
			most = process[i];
	}
	return most;
}

static void put_process_name(const struct memory_state *state, const struct source_process *of,
			     struct table *table)
{
	size_t length = 0;
	const char *name = of->command ? name_text(of->command, &length) : "";

	table_add_row(table);
	table_set_number(table, COLUMN_memory_process, of->pid);
	table_set_text(table, COLUMN_memory_name, name, length);
	if (kernel_peak(state, of))
		table_set_number(table, COLUMN_memory_kernel_bytes, kernel_peak(state, of));
}

static void put_process(const struct resident_process *process, const struct source_process *of,
			struct table *table)
{
	const struct resident_moment *peak = &process->peak;

	table_set_number(table, COLUMN_memory_peak_bytes, peak->resident);
	table_set_number(table, COLUMN_memory_time_ns, peak->time_ns);
	if (peak->has_kinds) {
		table_set_number(table, COLUMN_memory_file_bytes, peak->file);
		table_set_number(table, COLUMN_memory_shared_bytes, peak->shared);
	}
	if (!peak->has_blocks)
		return;
	if (!limitation_hides_heap(of))
		table_set_number(table, COLUMN_memory_heap_bytes, peak->heap);
	table_set_number(table, COLUMN_memory_arena_bytes, peak->arenas);
	table_set_number(table, COLUMN_memory_mapped_bytes, peak->mapped);
	table_set_number(table, COLUMN_memory_reserved_bytes, peak->reserved);
	if (peak->has_kinds && peak->brk && peak->knows_all)
		table_set_number(table, COLUMN_memory_kept_bytes, resident_kept(peak));
	if (peak->has_kinds)
		table_set_number(table, COLUMN_memory_rest_bytes, resident_rest(peak));
}

static void fill_processes(const struct memory_state *state, struct table *table)
{
	struct source_process *const *process;
	size_t count = source_processes(state->resident->source, &process);

	for (size_t i = 0; i < count; i++) {
		const struct resident_process *seen = resident_of(state->resident,
								  process[i]->index);

		if (!seen && !kernel_peak(state, process[i]))
			continue;
		put_process_name(state, process[i], table);
		if (seen)
			put_process(seen, process[i], table);
	}
}

/* --- the report --- */

static void memory_want(struct report *report)
{
	((struct memory_state *)report->state)->resident = resident_want(
		report->run, &(struct resident_options){ { BY_alloc_caller, HEAP_OF_C } });
}

static void memory_fill(struct report *report, struct table *table)
{
	struct memory_state *state = report->state;

	state->most = resident_most(state->resident, &state->index);
	if (!state->most)
		return;
	if (report->request->options->by == BY_memory_process)
		fill_processes(state, table);
	else
		fill_kinds(state, table);
}

static const struct source_process *most_process(const struct memory_state *state)
{
	struct source_process *const *process;

	source_processes(state->resident->source, &process);
	return process[state->index];
}

/* After the end of recording the cell is empty, not 0. */
static void put_recorded(struct facts *facts, const struct resident_moment *peak, bool is_unknown)
{
	const struct {
		const char *name;
		uint64_t bytes;
	} parts[] = {
		{ "heap_bytes", peak->heap },
		{ "tensor_bytes", peak->tensors },
		{ "arena_bytes", peak->arenas },
		{ "mapped_bytes", peak->mapped },
		{ "mapped_shared_bytes", peak->mapped_shared },
		{ "reserved_bytes", peak->reserved },
		{ "rest_bytes", resident_rest(peak) },
		{ "untouched_bytes", resident_untouched(peak) },
		{ "kept_bytes", resident_kept(peak) },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (is_unknown)
			facts_none(facts, parts[i].name, UNIT_BYTES);
		else if ((peak->brk && peak->knows_all) || strcmp(parts[i].name, "kept_bytes") != 0)
			facts_number(facts, parts[i].name, UNIT_BYTES, parts[i].bytes);
}

static void memory_total(const struct report *report, struct facts *facts)
{
	static const struct resident_moment nothing;
	const struct memory_state *state = report->state;
	const struct resident_moment *peak = state->most ? &state->most->peak : &nothing;
	const struct source_process *kernel = kernel_most(state);

	if (filter_cuts_lives(&run_filters(report->run)->settings))
		facts_none(facts, "kernel_bytes", UNIT_BYTES);
	else
		facts_number(facts, "kernel_bytes", UNIT_BYTES,
			     kernel ? kernel->memory_peak_bytes : 0);
	facts_number(facts, "resident_bytes", UNIT_BYTES, peak->resident);
	facts_number(facts, "time_ns", UNIT_NS, peak->time_ns);
	facts_number(facts, "anonymous_bytes", UNIT_BYTES, peak->anonymous);
	facts_number(facts, "file_bytes", UNIT_BYTES, peak->file);
	facts_number(facts, "shared_bytes", UNIT_BYTES, peak->shared);
	put_recorded(facts, peak, state->most && !peak->has_blocks);
}

static const char *memory_explain(const struct report *report, struct why_empty *absence)
{
	(void)report;
	(void)absence;
	return "no resident memory was recorded: the recording is of an older version, or /proc "
	       "did not tell";
}

/* The caller frees the result; "" if the command is not known. */
static char *short_command(const struct source_process *process, const struct screen *screen)
{
	size_t length = 0;
	const char *command = process->command ? name_text(process->command, &length) : "";
	char *text = memory_zero(text_escape_room(length), 1), *shown;

	length = text_escape(text, text_escape_room(length), command, length);
	shown = memory_zero(length + 16, 1);
	(void)text_shorten_command(shown, text, length, screen->uncut ? SIZE_MAX : NAME_WIDTH,
				   screen->utf8 ? "\xe2\x80\xa6" : "..");
	free(text);
	return shown;
}

static void print_peak(const struct memory_state *state, const struct screen *screen)
{
	const struct resident_moment *peak = &state->most->peak;
	const struct source_process *process = most_process(state), *kernel = kernel_most(state);
	char a[UNIT_TEXT_BYTES], b[UNIT_TEXT_BYTES], c[UNIT_TEXT_BYTES];
	char *name = short_command(process, screen);

	if (kernel && kernel != process)
		screen_print_prose(screen,
				   "peak         %s in process %u, as the kernel counts it%s",
				   unit_format_bytes(a, kernel->memory_peak_bytes), kernel->pid,
				   resident_of(state->resident, kernel->index)
					   ? ""
					   : "; it ended before its memory was looked at");
	else if (kernel)
		fprintf(screen->out, "peak         %s, as the kernel counts it\n",
			unit_format_bytes(a, kernel->memory_peak_bytes));
	screen_print_prose(screen, "seen         %s at %s in process %u%s%s%s",
			   unit_format_bytes(b, peak->resident), unit_format_ns(c, peak->time_ns),
			   process->pid, *name ? " (" : "", name, *name ? ")" : "");
	free(name);
}

static void memory_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct memory_state *state = report->state;
	char end[UNIT_TEXT_BYTES];

	if (!state->most)
		return;
	print_peak(state, screen);
	if (state->most->curves) {
		struct curve_extent extent = { state->most->peak.resident,
					       source_end_ns(state->resident->source), NULL, NULL };

		fprintf(screen->out, "\nresident memory of that process over %s\n  ",
			unit_format_ns(end, extent.end_ns));
		curve_print(&state->most->curves->resident, extent, screen, screen->width - 4);
	}
	putc('\n', screen->out);
}

/* Other files may reach further than that of the process. */
static uint64_t memory_blocks_until_ns(const struct report *report)
{
	uint64_t run_ns = known_until_ns(report->run);
	uint64_t file_ns = source_file_known_ns(most_process(report->state)->file);

	return file_ns < run_ns ? file_ns : run_ns;
}

static void memory_foot(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct memory_state *state = report->state;
	const struct resident_moment *peak;
	char bytes[UNIT_TEXT_BYTES];

	if (!state->most)
		return;
	peak = &state->most->peak;
	if (why_empty_is_limited(report->run) || why_empty_is_off(report->run, EVT_FAMILY_alloc))
		screen_print_prose(screen, "blocks and mappings were not recorded all the time: "
					   "they explain less than there was");
	if (!peak->has_blocks)
		screen_print_prose(
			screen,
			"blocks and mappings were recorded until %s: what memory consisted "
			"of after that is not known",
			unit_format_ns(bytes, memory_blocks_until_ns(report)));
	if (peak->has_kinds && resident_untouched(peak))
		screen_print_prose(screen,
				   "%s of blocks and mappings were not resident: not touched yet, "
				   "or given back",
				   unit_format_bytes(bytes, resident_untouched(peak)));
	if ((resident_kept(peak) || resident_kept(&state->most->end)) &&
	    most_process(state)->thread_count > 1)
		screen_print_prose(
			screen,
			"What malloc keeps is only known of its first arena: freed blocks in "
			"the arenas of other threads are among what is not explained.");
	if (resident_rest(peak) >= REST_SHARE_MIN * (double)peak->resident)
		screen_print_prose(screen,
				   "not explained: stacks of threads, %svariables of "
				   "libraries, pinned memory, what a parent left to its "
				   "forked child, what was reserved first and made usable "
				   "later, what was mapped before recording began or by a "
				   "system call of a library's own, and what intercept itself "
				   "keeps: for native stacks up to 9 MiB, and 0.5 MiB for "
				   "each thread",
				   resident_kept(peak) ? "freed blocks of arenas of other threads, "
						       : "freed blocks that the allocator keeps, ");
}

const struct report_kind report_kind_memory = {
	.state_bytes = sizeof(struct memory_state),
	.family = EVT_FAMILY_system,
	.want = memory_want,
	.fill = memory_fill,
	.total = memory_total,
	.explain = memory_explain,
	.head = memory_head,
	.foot = memory_foot,
};
