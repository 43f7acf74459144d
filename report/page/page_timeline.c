/* SPDX-License-Identifier: MIT */
/*
 * The timeline as pieces of a page: chooses levels of detail that fit, merges short spans, and cuts
 * levels into pieces by time.
 */
#include "report/page/page_timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/trace/producer.h"

#define PIXELS 2048u        /* width of the run in level 0 */
#define FINER 64u           /* ratio of two levels; less if there is no room for it */
#define COMPLETE UINT32_MAX /* the next level has everything that is left */
#define PIECES_MAX 256u     /* per level */
#define LEVELS_MAX 16u
#define SPANS_FEW 500000u /* a browser unpacks this many at once */
#define SPAN_BYTES 8u     /* about, in the file: measured, 6 to 7 */
#define MERGED_BYTES 13u  /* for a merged span: 10 to 13 */
/* limits for the timeline in the file, which may have a quarter of the recording's size */
#define BYTES_MIN 4200000u
#define BYTES_MAX 12000000u
#define NAMES_BYTES_MAX 4500000u /* for all names, uncompressed */
#define NAME_LONGEST 100000u
#define LANE_BYTES 40u  /* about, in the file */
#define STACKS_SHARE 4u /* share of the timeline's bytes: stacks; */
#define ARROWS_SHARE 8u /* arrows; */
#define NAMES_SHARE 4u  /* names, uncompressed */
#define ID_BYTES 64u

struct level {
	uint64_t grain_ns; /* shorter spans are merged */
	uint64_t above_ns; /* spans at least this long are in an earlier level */
	uint64_t piece_ns; /* duration covered by a piece */
	unsigned int pieces;
	unsigned int number;
};

void page_timeline_want(struct page_timeline *mine, struct page *page)
{
	const struct trace_options options = { .request = page->request,
					       .writer = &timeline_writer,
					       .state = &mine->spans };

	timeline_init(&mine->spans);
	mine->states = device_states_want(page->run, NULL);
	mine->numbers = device_numbers_want(page->run, NULL);
	page_samples_want(&mine->samples, page, &mine->spans, trace_want(page->run, &options));
}

void page_timeline_release(struct page_timeline *mine)
{
	page_samples_release(&mine->samples);
	timeline_release(&mine->spans);
}

static uint64_t length_of(const struct span *span)
{
	return span->duration_ns ? span->duration_ns : 1;
}

/* The spans that a level contains unmerged. */
static bool is_in(const struct level *level, const struct span *span)
{
	return length_of(span) >= level->grain_ns && length_of(span) < level->above_ns;
}

/* --- merged spans of a level --- */

struct merging {
	struct span *span;
	size_t count, room;
};

static void merging_add(struct merging *merging, const struct level *level, const struct span *span)
{
	struct span *last = merging->count ? &merging->span[merging->count - 1] : NULL;
	uint64_t end = span->start_ns + span->duration_ns, last_end;

	if (last && last->lane == span->lane && last->depth == span->depth &&
	    last->start_ns / level->grain_ns == span->start_ns / level->grain_ns) {
		last_end = last->start_ns + last->duration_ns;
		last->duration_ns = (end > last_end ? end : last_end) - last->start_ns;
		last->count += span->count;
		last->busy_ns += span->busy_ns;
		return;
	}
	merging->span = memory_room(merging->span, merging->count, &merging->room,
				    sizeof(*merging->span));
	merging->span[merging->count++] = *span;
}

static struct merging level_merge(const struct level *level, const struct timeline *timeline)
{
	struct merging merging = { .count = 0 };

	for (size_t i = 0; i < timeline->count; i++)
		if (length_of(&timeline->span[i]) < level->grain_ns)
			merging_add(&merging, level, &timeline->span[i]);
	return merging;
}

/* --- pieces --- */

/* Spans of a piece: those of `list` whose indices are `at`, in the order lane, depth, start. */
struct part {
	const struct span *list;
	uint32_t *at;
	size_t count, room;
};

static void page_timeline_part_add(struct part *part, size_t at)
{
	part->at = memory_room(part->at, part->count, &part->room, sizeof(*part->at));
	part->at[part->count++] = (uint32_t)at;
}

static uint64_t page_timeline_start_of(const struct span *span, uint64_t before)
{
	return span->start_ns - before;
}

static uint64_t duration_of(const struct span *span, uint64_t before)
{
	(void)before;
	return span->duration_ns;
}

/* A merged span has no name: its name is the number of names. */
static uint64_t page_timeline_name_of(const struct span *span, uint64_t names)
{
	return span->count > 1 ? names : span->name;
}

static bool has_merged(const struct part *part)
{
	for (size_t i = 0; i < part->count; i++)
		if (part->list[part->at[i]].count > 1)
			return true;
	return false;
}

static uint64_t count_of(const struct span *span, uint64_t before)
{
	(void)before;
	return span->count;
}

static uint64_t busy_of(const struct span *span, uint64_t before)
{
	(void)before;
	return span->busy_ns;
}

/* `deltas`: each value is relative to the previous start, otherwise to `constant`. */
static void page_timeline_put_list(FILE *out, const struct part *part, size_t from, size_t to,
				   uint64_t (*of)(const struct span *span, uint64_t other),
				   bool deltas, uint64_t constant)
{
	uint64_t before = constant;

	fputs(",[", out);
	for (size_t i = from; i < to; i++) {
		const struct span *span = &part->list[part->at[i]];

		fprintf(out, "%s%" PRIu64, i > from ? "," : "", of(span, before));
		if (deltas)
			before = span->start_ns;
	}
	putc(']', out);
}

/*
 * [[lane, depth, [start, after the previous one, ...], [duration], [name], [count], [busy]], ...];
 * the last two only if a span is merged
 */
static void page_timeline_put_part(FILE *out, const struct part *part, uint64_t from_ns,
				   uint64_t names)
{
	bool counts = has_merged(part);
	size_t from = 0, to;

	putc('[', out);
	for (; from < part->count; from = to) {
		const struct span *first = &part->list[part->at[from]];

		for (to = from; to < part->count; to++)
			if (part->list[part->at[to]].lane != first->lane ||
			    part->list[part->at[to]].depth != first->depth)
				break;
		fprintf(out, "%s[%u,%u", from ? ",\n" : "", first->lane, first->depth);
		page_timeline_put_list(out, part, from, to, page_timeline_start_of, true, from_ns);
		page_timeline_put_list(out, part, from, to, duration_of, false, 0);
		page_timeline_put_list(out, part, from, to, page_timeline_name_of, false, names);
		if (counts) {
			page_timeline_put_list(out, part, from, to, count_of, false, 0);
			page_timeline_put_list(out, part, from, to, busy_of, false, 0);
		}
		putc(']', out);
	}
	putc(']', out);
}

static char *piece_json(const struct level *level, unsigned int number, const struct part part[2],
			uint64_t names, size_t *ret_length)
{
	char *text = NULL;
	FILE *out = page_text_open(&text, ret_length);

	fputs("{\"spans\":", out);
	page_timeline_put_part(out, &part[0], level->piece_ns * number, names);
	fputs(",\"merged\":", out);
	page_timeline_put_part(out, &part[1], level->piece_ns * number, names);
	fputs("}\n", out);
	fclose(out);
	return text;
}

static void page_timeline_put_piece(struct page *page, const struct level *level,
				    unsigned int number, const struct part part[2], uint64_t names)
{
	char id[ID_BYTES];
	size_t length;
	char *text = piece_json(level, number, part, names, &length);

	snprintf(id, sizeof(id), "timeline-%u-%u", level->number, number);
	page_file_put(&page->file, id, text, length);
	free(text);
}

/* Sorts spans into pieces: [0] unmerged, [1] merged. Freed by parts_free(). */
static struct part (*parts_new(const struct timeline *timeline, const struct level *level,
			       const struct merging *merging))[2]
{
	struct part(*part)[2] = memory_zero(level->pieces, sizeof(*part));

	for (size_t i = 0; i < timeline->count; i++)
		if (is_in(level, &timeline->span[i]))
			page_timeline_part_add(
				&part[timeline->span[i].start_ns / level->piece_ns][0], i);
	for (size_t i = 0; i < merging->count; i++)
		page_timeline_part_add(&part[merging->span[i].start_ns / level->piece_ns][1], i);
	for (unsigned int i = 0; i < level->pieces; i++) {
		part[i][0].list = timeline->span;
		part[i][1].list = merging->span;
	}
	return part;
}

static void parts_free(struct part (*part)[2], const struct level *level)
{
	for (unsigned int i = 0; i < level->pieces; i++) {
		free(part[i][0].at);
		free(part[i][1].at);
	}
	free(part);
}

/* Returns the exact size of the level in the file. */
static uint64_t level_weigh(const struct timeline *timeline, const struct level *level,
			    const struct merging *merging)
{
	struct part(*part)[2] = parts_new(timeline, level, merging);
	uint64_t bytes = 0;

	for (unsigned int i = 0; i < level->pieces; i++) {
		size_t length;
		char *text;

		if (!part[i][0].count && !part[i][1].count)
			continue;
		text = piece_json(level, i, part[i], timeline->names, &length);
		bytes += page_file_weigh(text, length) + ID_BYTES;
		free(text);
	}
	parts_free(part, level);
	return bytes;
}

/* Writes the pieces that have spans; their numbers go to the head of the timeline. */
static void put_level(struct page *page, const struct timeline *timeline, const struct level *level,
		      const struct merging *merging, struct json *head)
{
	struct part(*part)[2] = parts_new(timeline, level, merging);

	json_open(head, NULL, '{');
	json_number(head, "grain_ns", level->grain_ns);
	json_number(head, "piece_ns", level->piece_ns);
	json_number(head, "merged", merging->count);
	json_open(head, "pieces", '[');
	for (unsigned int i = 0; i < level->pieces; i++) {
		if (part[i][0].count || part[i][1].count) {
			page_timeline_put_piece(page, level, i, part[i], timeline->names);
			json_number(head, NULL, i);
		}
	}
	json_close(head, ']');
	json_close(head, '}');
	parts_free(part, level);
}

/* --- levels --- */

static struct level level_next(const struct level *level, uint64_t end_ns, unsigned int finer)
{
	struct level next = { .grain_ns = finer == COMPLETE ? 1 : level->grain_ns / finer,
			      .above_ns = level->grain_ns,
			      .pieces = finer == COMPLETE ? PIECES_MAX : level->pieces * finer,
			      .number = level->number + 1 };

	next.grain_ns += !next.grain_ns;
	if (next.pieces > PIECES_MAX)
		next.pieces = PIECES_MAX;
	next.piece_ns = end_ns / next.pieces + 1;
	return next;
}

static size_t level_count(const struct level *level, const struct timeline *timeline)
{
	size_t count = 0;

	for (size_t i = 0; i < timeline->count; i++)
		count += is_in(level, &timeline->span[i]);
	return count;
}

/* For levels: the size that is good for the page, and the size that is possible. */
struct allowance {
	uint64_t wanted, room;
};

static struct allowance page_timeline_bytes_allowed(const struct page *page, uint64_t rest)
{
	struct source_file *const *file;
	size_t count = source_files(page->request->source, &file);
	uint64_t bytes = 0, left = page_budget_left(&page->file.budget);
	struct allowance allowed = { .room = left > rest ? left - rest : 0 };

	for (size_t i = 0; i < count; i++)
		bytes += file[i]->bytes / 4;
	bytes = bytes < BYTES_MIN ? BYTES_MIN : bytes > BYTES_MAX ? BYTES_MAX : bytes;
	allowed.wanted = bytes < allowed.room ? bytes : allowed.room;
	return allowed;
}

/* Estimates from the usual size of a span; computes exactly if that is near the limit. */
static bool level_fits(const struct level *level, const struct timeline *timeline,
		       const struct allowance *allowed)
{
	struct merging merging = level_merge(level, timeline);
	uint64_t bytes = merging.count * MERGED_BYTES + level_count(level, timeline) * SPAN_BYTES;
	bool fits = bytes <= allowed->wanted;

	if (fits && bytes > allowed->room / 3)
		fits = level_weigh(timeline, level, &merging) <= allowed->room;
	free(merging.span);
	return fits;
}

/* The level for the whole run; with thousands of lanes as coarse as necessary. */
static bool level_first(struct level *first, const struct timeline *timeline, uint64_t end_ns,
			const struct allowance *allowed)
{

	for (unsigned int pixels = PIXELS; pixels; pixels /= 2) {
		*first = (struct level){ .grain_ns = end_ns / pixels + 1,
					 .above_ns = UINT64_MAX,
					 .piece_ns = end_ns + 1,
					 .pieces = 1 };
		if (level_fits(first, timeline, allowed))
			return true;
	}
	return false;
}

/* Chooses a level that fits: everything that is left, else as fine as possible, else none. */
static bool level_choose(struct level *level, const struct level *last,
			 const struct timeline *timeline, uint64_t end_ns,
			 const struct allowance *left)
{
	unsigned int first = last->number || timeline->count <= SPANS_FEW ? COMPLETE : FINER;

	for (unsigned int finer = first; finer > 1; finer = finer == COMPLETE ? FINER : finer / 2) {
		*level = level_next(last, end_ns, finer);
		if (level_fits(level, timeline, left))
			return true;
	}
	return false;
}

static struct allowance allowance_left(const struct allowance *allowed, uint64_t used)
{
	return (struct allowance){ allowed->wanted > used ? allowed->wanted - used : 0,
				   allowed->room > used ? allowed->room - used : 0 };
}

/*
 * `rest`: bytes of the file reserved for what follows. Returns the length of the longest spans that
 * exist only merged; 0: all are there; UINT64_MAX: there is no room for any level.
 */
static uint64_t page_timeline_put_levels(struct page *page, const struct timeline *timeline,
					 uint64_t end_ns, uint64_t rest, struct json *head)
{
	uint64_t before = page->file.bytes, merged_ns = 0;
	struct allowance allowed = page_timeline_bytes_allowed(page, rest), left;
	struct level level, last;
	bool has_room = level_first(&level, timeline, end_ns, &allowed);

	json_open(head, "levels", '[');
	for (unsigned int i = 0; i < LEVELS_MAX && has_room; i++) {
		struct merging merging = level_merge(&level, timeline);
		uint64_t used;

		put_level(page, timeline, &level, &merging, head);
		free(merging.span);
		merged_ns = merging.count ? level.grain_ns : 0;
		used = page->file.bytes - before;
		left = allowance_left(&allowed, used);
		last = level;
		if (!merging.count || !left.wanted ||
		    !level_choose(&level, &last, timeline, end_ns, &left))
			break;
	}
	json_close(head, ']');
	return has_room ? merged_ns : UINT64_MAX;
}

/* --- lanes and names --- */

static const struct source_thread *page_timeline_thread_of(struct source *source,
							   const struct lane *lane)
{
	struct source_thread *const *thread;
	size_t count = source_threads(source, &thread);

	for (size_t i = 0; i < count && lane->pid < TRACE_PIDS; i++)
		if (thread[i]->tid == lane->tid && thread[i]->process->pid == lane->pid)
			return thread[i];
	return NULL;
}

/*
 * The lane's process in the order of all processes' starts, because pids wrap around at their
 * limit.
 */
static size_t process_order(struct source *source, const struct lane *lane)
{
	struct source_process *const *process;
	size_t count = source_processes(source, &process), i = 0;
	uint64_t same_before = lane->pid / TRACE_PIDS;

	for (; i < count; i++)
		if (process[i]->pid == lane->pid % TRACE_PIDS && !same_before--)
			break;
	return i;
}

/* The model of the card, and CUDA's number of it. */
static void put_card(struct json *json, const struct page_timeline *mine, struct source *source,
		     uint32_t uuid)
{
	const struct device_card *card = device_states_find(mine->states, uuid);
	uint32_t number;
	size_t length;
	const char *text = name_text(source_name_at(source, uuid), &length);

	json_text(json, "uuid", text, length);
	if (card) {
		text = name_text(source_name_at(source, card->model), &length);
		json_text(json, "model", text, length);
	}
	if (device_numbers_of_card(mine->numbers, uuid, &number))
		json_number(json, "device", number);
}

static void put_lane(struct json *json, const struct page_timeline *mine, struct source *source,
		     const struct lane *lane)
{
	static const char *const kinds[] = {
		[LANE_THREAD] = "thread", [LANE_STEPS] = "steps",     [LANE_RANGES] = "ranges",
		[LANE_STREAM] = "stream", [LANE_SAMPLES] = "samples", [LANE_GPU] = "gpu"
	};
	const struct source_thread *thread = lane->kind == LANE_STREAM || lane->kind == LANE_GPU
						     ? NULL
						     : page_timeline_thread_of(source, lane);
	const char *name = "";
	size_t length = 0;

	if (thread)
		thread_name(thread, &name, &length);
	json_open(json, NULL, '{');
	json_string(json, "kind", kinds[lane->kind]);
	/* if two processes had one pid, they have two numbers */
	json_number(json, "process", lane->pid);
	json_number(json, "pid", lane->pid % TRACE_PIDS);
	json_number(json, "order", process_order(source, lane));
	json_number(json, "tid", lane->tid);
	json_text(json, "name", name, length);
	if (lane->kind == LANE_GPU)
		put_card(json, mine, source, (uint32_t)lane->tid);
	json_number(json, "depths", lane->depths);
	json_number(json, "busy_ns", lane->busy_ns);
	json_close(json, '}');
}

/* Returns the maximum length of names with which all of them fit. */
static size_t longest_name(const struct timeline *timeline, uint64_t room)
{
	size_t low = 0, high = NAME_LONGEST;

	while (low < high) {
		size_t middle = (low + high + 1) / 2;
		uint64_t bytes = 0;

		for (size_t i = 0; i < timeline->names; i++)
			bytes += timeline->name[i].length < middle ? timeline->name[i].length
								   : middle;
		if (bytes <= NAMES_BYTES_MAX && bytes <= room)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* Length of a character of a JSON string, which may be escaped or have several bytes. */
static size_t page_timeline_character_bytes(const char *at)
{
	unsigned char first = (unsigned char)*at;

	if (first == '\\')
		return at[1] == 'u' ? 6 : 2;
	return first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* Writes a JSON string, or its beginning and an ellipsis. */
static void page_timeline_put_name(FILE *out, const struct timeline_name *name, size_t longest)
{
	static const char more[] = "\xe2\x80\xa6\"";
	size_t length = 1;

	if (name->length <= longest) {
		fwrite(name->json, 1, name->length, out);
		return;
	}
	while (length + page_timeline_character_bytes(&name->json[length]) + strlen(more) <=
	       longest)
		length += page_timeline_character_bytes(&name->json[length]);
	fwrite(name->json, 1, length, out);
	fputs(more, out);
}

/* Texts are already JSON. */
static void page_timeline_put_names(FILE *out, const struct timeline *timeline, size_t longest)
{
	fputs("\"names\":[", out);
	for (size_t i = 0; i < timeline->names; i++) {
		fputs(i ? ",\n" : "", out);
		page_timeline_put_name(out, &timeline->name[i], longest);
	}
	fputs("],\"categories\":[", out);
	for (size_t i = 0; i < timeline->names; i++)
		fprintf(out, "%s\"%s\"", i ? "," : "", timeline->name[i].category);
	fputs("]", out);
}

static char *arrows_json(const struct arrows *arrows, size_t *ret_length)
{
	char *text = NULL;
	FILE *out = page_text_open(&text, ret_length);

	arrows_put(arrows, out);
	fclose(out);
	return text;
}

static void put_arrows(struct page *page, struct arrows *arrows, uint64_t room)
{
	size_t length = 0;
	char *text = arrows_json(arrows, &length);

	while (arrows->count && page_file_weigh(text, length) > room) {
		arrows_halve(arrows);
		free(text);
		text = arrows_json(arrows, &length);
	}
	page_file_put(&page->file, "timeline-arrows", text, length);
	free(text);
}

/*
 * Estimates the size of names and lanes in the file; never too low unless they repeat themselves.
 */
static uint64_t head_bytes(const struct timeline *timeline, size_t longest)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < timeline->names; i++)
		bytes += (timeline->name[i].length < longest ? timeline->name[i].length : longest) +
			 2;
	return bytes * 4 / 3 + timeline->lanes * LANE_BYTES + 2ull * PAGE_PIECE_LEAST;
}

static void page_timeline_put_counts(const struct page_timeline *mine, struct run *run,
				     uint64_t end_ns, struct json *json)
{
	const struct timeline *timeline = &mine->spans;
	const struct detail *windows = run_gpu_windows(run);

	json_number(json, "end_ns", end_ns);
	json_number(json, "spans", timeline->all);
	json_number(json, "stretches", mine->samples.stretches);
	json_number(json, "looks", mine->samples.looks);
	json_number(json, "stacks", mine->samples.count);
	json_number(json, "stacks_kept", mine->samples.kept);
	json_number(json, "thinned_ns", timeline->grain_ns);
	if (windows->until_ns) {
		struct detail_steps of = detail_steps_of_windows(windows);

		json_number(json, "gpu_steps", of.detailed);
		json_number(json, "gpu_steps_of", of.steps);
	}
	json_number(json, "arrows", timeline->arrows.all);
	json_number(json, "arrows_kept", timeline->arrows.count);
}

void page_timeline_put(struct page_timeline *mine, struct page *page)
{
	struct timeline *timeline = &mine->spans;
	struct source *source = page->request->source;
	uint64_t end_ns = source_end_ns(source);
	char *text = NULL;
	uint64_t room, rest, merged_ns;
	size_t length = 0, longest;
	FILE *out = page_text_open(&text, &length);
	struct json json = { .out = out };

	timeline_settle(timeline, end_ns);
	page_budget_begin(&page->file.budget, PAGE_TIMELINE);
	room = page_budget_left(&page->file.budget);
	page_samples_put(&mine->samples, page, room / STACKS_SHARE);
	if (timeline->count)
		put_arrows(page, &timeline->arrows, room / ARROWS_SHARE);
	longest = longest_name(timeline, room / NAMES_SHARE);
	rest = head_bytes(timeline, longest);
	fputs("{\"about\":", out);
	json_open(&json, NULL, '{');
	page_timeline_put_counts(mine, page->run, end_ns, &json);
	if (longest < NAME_LONGEST)
		json_number(&json, "name_bytes", longest);
	merged_ns = page_timeline_put_levels(page, timeline, end_ns, rest, &json);
	json_number(&json, "merged_ns", merged_ns);
	json_open(&json, "lanes", '[');
	for (size_t i = 0; i < timeline->lanes; i++)
		put_lane(&json, mine, source, &timeline->lane[i]);
	json_close(&json, ']');
	json_close(&json, '}');
	fputs(",", out);
	page_timeline_put_names(out, timeline, longest);
	fputs("}\n", out);
	fclose(out);
	if (timeline->count &&
	    (merged_ns == UINT64_MAX ||
	     page_file_weigh(text, length) > page_budget_left(&page->file.budget))) {
		json_close(page_file_leave_out(&page->file, "timeline", "timeline"), '}');
	} else if (timeline->count) {
		page_file_put(&page->file, "timeline", text, length);
		json_close(page_file_entry(&page->file, "timeline", "timeline"), '}');
	}
	free(text);
}
