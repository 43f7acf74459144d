/* SPDX-License-Identifier: MIT */
/* Memory and GPU on the first screen: a line each, with who holds the peak. */
#include <string.h>

#include "report/advice/place_text.h"
#include "report/core/why_empty.h"
#include "report/summary/summary_screen.h"
#include "report/tensors/rows_tensors.h"

#define PART_MIN 10u  /* what is less than such a part of it is not spoken of */
#define ALL_PART 100u /* what is missing from all of it is at most that part */

/* Bytes, or that it is all. */
static const char *part_of(char text[UNIT_TEXT_BYTES], uint64_t part, uint64_t whole)
{
	return part >= whole - whole / ALL_PART ? "all" : unit_format_bytes(text, part);
}

/* Tensors on a device, or most of the heap and more than a trifle of the process. */
static bool tensors_matter(const struct summary *summary, struct tensor_owner owner,
			   uint64_t resident)
{
	uint64_t peak = owner.device ? owner.device->live.peak_bytes : 0;

	return peak &&
	       (owner.device->device != 0 ||
		(2 * peak >= summary->heap->totals.peak_bytes && peak >= resident / ALL_PART));
}

/* The user's line that asked for most of them. Of several devices each has its own peak. */
static bool put_tensor_line(const struct summary *summary, const struct screen *screen,
			    uint64_t peak)
{
	const struct heap *tensors = summary->bottleneck.tensor_growth->heap;
	struct heap_line line;
	char bytes[UNIT_TEXT_BYTES];

	if (summary->tensors->device_count != 1 || tensors->estimate)
		return false;
	line = heap_line_of(tensors, summary->source, run_options(summary->run));
	if (!line.place[0] || line.bytes < peak / PART_MIN || line.bytes > peak)
		return false;
	fprintf(screen->out, ", %s of them from %s", part_of(bytes, line.bytes, peak), line.place);
	return true;
}

static void put_tensors(const struct summary *summary, const struct screen *screen, bool is_first,
			struct tensor_owner owner)
{
	const struct run_key *key = tensors_key(summary->tensors);
	char bytes[UNIT_TEXT_BYTES], device[TENSOR_DEVICE_BYTES], name[PLACE_NAME_BYTES];
	size_t length;
	const char *text;

	fprintf(screen->out, "%stensors on %s %s%s", is_first ? "" : "; ",
		tensor_device_text(owner.device->device, device),
		unit_format_bytes(bytes, owner.device->live.peak_bytes),
		is_first ? " at their peak" : "");
	if (put_tensor_line(summary, screen, owner.device->live.peak_bytes))
		return;
	if (!owner.row || !owner.row->peak_bytes || !key->kind || !key->kind->text)
		return;
	text = key->kind->text(key->state,
			       tensor_key_around(owner.row->key) ? tensor_key_around(owner.row->key)
								 : owner.row->key,
			       &length);
	place_name(&(struct source_name){ .text = text, .length = length }, name);
	fprintf(screen->out, ", %s of them by %s",
		part_of(bytes, owner.row->peak_bytes, owner.device->live.peak_bytes), name);
}

/* The user's line that asked for most of it, as far as lines are known. */
static bool put_heap_line(const struct summary *summary, const struct screen *screen)
{
	uint64_t peak = summary->heap->totals.peak_bytes;
	struct heap_line line = heap_line_of(summary->heap, summary->source,
					     run_options(summary->run));
	char bytes[UNIT_TEXT_BYTES];

	if (heap_is_sample(summary->heap) || !line.place[0] || line.bytes < peak / PART_MIN)
		return false;
	fprintf(screen->out, ", %s of it from %s", part_of(bytes, line.bytes, peak), line.place);
	if (line.known_bytes < peak - peak / PART_MIN)
		fprintf(screen->out, " (lines are known for %.0f %%)",
			100.0 * (double)line.known_bytes / (double)peak);
	return true;
}

/* The module that asked for most of it; of Python's stacks few blocks have one. */
static void put_heap_owner(const struct summary *summary, const struct screen *screen)
{
	const struct heap_owner *owner = &summary->heap_owner;
	char bytes[UNIT_TEXT_BYTES], name[PLACE_NAME_BYTES];
	const char *path, *slash;
	size_t length;

	if (!owner->path || owner->bytes < summary->heap->totals.peak_bytes / PART_MIN)
		return;
	path = name_text(owner->path, &length);
	slash = memrchr(path, '/', length);
	if (slash) {
		length -= (size_t)(slash + 1 - path);
		path = slash + 1;
	}
	place_name(&(struct source_name){ .text = path, .length = length }, name);
	fprintf(screen->out, ", %s of it asked for by %s",
		part_of(bytes, owner->bytes, summary->heap->totals.peak_bytes), name);
}

/* What the heap's figures are of. `resident`: bytes at the process's peak; 0: not known. */
static void put_heap(const struct summary *summary, const struct screen *screen, uint64_t resident)
{
	bool starts = !resident;
	bool in_part = run_filters(summary->run)->any || why_empty_is_limited(summary->run);
	const struct heap_totals *totals = &summary->heap->totals;
	const char *subject = "heap";
	char bytes[UNIT_TEXT_BYTES];

	if (in_part)
		subject = "heap of that part";
	else if (summary->totals.processes > 1)
		subject = "heaps of all processes";
	fprintf(screen->out, "%s%s %s%s", starts ? "" : "; ", subject,
		unit_format_bytes(bytes, totals->peak_bytes),
		!starts                         ? ""
		: summary->totals.processes > 1 ? " at their peak"
						: " at its peak");
	if (resident && totals->peak_bytes > resident && summary->totals.processes == 1)
		fputs(" (more than was seen resident)", screen->out);
}

static bool memory_grows(const struct summary *summary)
{
	static bool (*const looks[])(const struct bottleneck *, struct advice *) = {
		advice_tensor_growth,        advice_graph_growth, advice_heap_growth,
		advice_python_memory_growth, advice_leak,         advice_memory_growth
	};
	const struct bottleneck *bottleneck = &summary->bottleneck;
	bool grows = false;

	for (size_t i = 0; i < bottleneck->advice_count; i++)
		for (size_t j = 0; j < sizeof(looks) / sizeof(looks[0]); j++)
			grows |= bottleneck->advice[i].rule->look == looks[j];
	return grows;
}

void summary_print_memory_line(const struct summary *summary, const struct screen *screen)
{
	uint64_t resident = run_filters(summary->run)->any ? 0 : summary->totals.memory_peak_bytes;
	struct tensor_owner owner = tensor_owner_of(summary->tensors);
	bool of_tensors = tensors_matter(summary, owner, resident);
	char bytes[UNIT_TEXT_BYTES];
	struct prose line;

	if (!resident && !summary->heap->totals.peak_bytes && !of_tensors)
		return;
	screen_label_begin(&line, screen, "memory");
	if (resident)
		fprintf(line.screen.out, "resident %s at its peak%s",
			unit_format_bytes(bytes, resident),
			summary->totals.processes > 1 ? " (largest process)" : "");
	if (summary->heap->totals.peak_bytes)
		put_heap(summary, &line.screen, resident);
	if (summary->heap->totals.peak_bytes && !put_heap_line(summary, &line.screen) &&
	    !of_tensors)
		put_heap_owner(summary, &line.screen);
	if (of_tensors)
		put_tensors(summary, &line.screen, !resident && !summary->heap->totals.peak_bytes,
			    owner);
	if (memory_grows(summary))
		fputs("; it grows as the program runs", line.screen.out);
	prose_end(&line, screen);
}
