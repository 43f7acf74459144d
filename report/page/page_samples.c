/* SPDX-License-Identifier: MIT */
/*
 * Samples of Python's stacks in the timeline: one lane per thread, and a piece with the whole
 * stacks.
 */
#include "report/page/page_samples.h"

#include <stdlib.h>

#include "report/samples/sample_frame.h"

static uint32_t page_samples_name_of(struct page_samples *samples, const struct stretch *stretch)
{
	const uint64_t words[2] = { stretch->place, stretch->state };
	bool added;
	struct map_entry *entry = map_put(&samples->known, map_hash_bytes(words, sizeof(words), 0),
					  &added);

	if (!added)
		return samples->seen[entry->value].name;
	entry->value = samples->count;
	samples->seen = memory_room(samples->seen, samples->count, &samples->room,
				    sizeof(*samples->seen));
	samples->seen[samples->count] = (struct seen_stack){
		stretch->place,
		timeline_add_name(samples->timeline, stretch_state_text(stretch->state)),
	};
	return samples->seen[samples->count++].name;
}

/* If no Python function runs, there is nothing to show. */
static void page_samples_take_stretch(void *context, const struct stretch *stretch)
{
	struct page_samples *samples = context;
	const struct source_thread *thread = stretch->thread;

	samples->looks += stretch->looks;
	if (!stretch->place)
		return;
	samples->stretches++;
	timeline_add(samples->timeline,
		     &(struct span){
			     .start_ns = stretch->from_ns,
			     .duration_ns = stretch->to_ns - stretch->from_ns,
			     .lane = timeline_lane(samples->timeline,
						   trace_pid(samples->trace, thread->process),
						   thread->tid, LANE_SAMPLES),
			     .name = page_samples_name_of(samples, stretch),
		     });
}

void page_samples_want(struct page_samples *samples, struct page *page, struct timeline *timeline,
		       struct trace *trace)
{
	*samples = (struct page_samples){ .timeline = timeline,
					  .trace = trace,
					  .source = page->request->source };
	map_init(&samples->known);
	samples->samples = samples_want(page->run,
					&(struct samples_options){ .by = BY_lines_line });
	stretches_want(page->run, &(struct stretches_options){ .take = page_samples_take_stretch,
							       .context = samples });
}

void page_samples_release(struct page_samples *samples)
{
	map_release(&samples->known);
	free(samples->seen);
}

/* --- the stacks --- */

/* The places that stacks consist of, renumbered, and the texts of their frames. */
struct stack_list {
	const struct page_samples *samples;
	uint32_t *number;                  /* by place, plus 1; 0: none yet */
	const struct sample_place **place; /* by number */
	size_t count, room;
	struct map texts; /* from function and line to the number of a text */
	struct json json;
};

static const struct sample_place *place_around(const struct stack_list *list,
					       const struct sample_place *place)
{
	return place->from ? samples_place(list->samples->samples, place->from) : NULL;
}

/* Adds a place and all places around it. Those are defined before it, so there is no cycle. */
static void page_samples_list_add(struct stack_list *list, const struct sample_place *place)
{
	const struct sample_place *first = list->samples->samples->place;

	for (; place && !list->number[place - first]; place = place_around(list, place)) {
		list->place = memory_room(list->place, list->count, &list->room,
					  sizeof(struct sample_place *));
		list->place[list->count++] = place;
		list->number[place - first] = (uint32_t)list->count;
	}
}

static uint32_t page_samples_number_of(const struct stack_list *list,
				       const struct sample_place *place)
{
	return place ? list->number[place - list->samples->samples->place] : 0;
}

static char *frame_text(const struct page_samples *samples, const struct sample_place *place,
			size_t *ret_length)
{
	char *text = NULL;
	FILE *out = page_text_open(&text, ret_length);

	sample_frame_print(out, samples->samples, samples->source, place);
	fclose(out);
	return text;
}

static uint64_t frame_key(const struct sample_place *place)
{
	const uint64_t words[2] = { place->code, place->line };

	return map_hash_bytes(words, sizeof(words), 0);
}

/* Writes the number of each place's text. The texts themselves are written afterwards, in order. */
static void page_samples_put_frames(struct stack_list *list)
{
	const struct sample_place **first = NULL;
	size_t count = 0, room = 0, length;

	json_open(&list->json, "frame", '[');
	for (size_t i = 0; i < list->count; i++) {
		bool added;
		struct map_entry *entry = map_put(&list->texts, frame_key(list->place[i]), &added);

		if (added) {
			first = memory_room(first, count, &room, sizeof(struct sample_place *));
			entry->value = count;
			first[count++] = list->place[i];
		}
		json_number(&list->json, NULL, entry->value);
	}
	json_close(&list->json, ']');
	json_open(&list->json, "frames", '[');
	for (size_t i = 0; i < count; i++) {
		char *text = frame_text(list->samples, first[i], &length);

		json_text(&list->json, NULL, text, length);
		free(text);
	}
	json_close(&list->json, ']');
	free(first);
}

static void page_samples_put_stacks(struct stack_list *list)
{
	const struct page_samples *samples = list->samples;

	json_open(&list->json, NULL, '{');
	json_open(&list->json, "name", '[');
	for (size_t i = 0; i < samples->kept; i++)
		if (samples_place(samples->samples, samples->seen[i].place))
			json_number(&list->json, NULL, samples->seen[i].name);
	json_close(&list->json, ']');
	json_open(&list->json, "place", '[');
	for (size_t i = 0; i < samples->kept; i++) {
		const struct sample_place *place = samples_place(samples->samples,
								 samples->seen[i].place);

		if (place)
			json_number(&list->json, NULL, page_samples_number_of(list, place) - 1);
	}
	json_close(&list->json, ']');
	json_open(&list->json, "from", '[');
	for (size_t i = 0; i < list->count; i++)
		json_number(&list->json, NULL,
			    page_samples_number_of(list, place_around(list, list->place[i])));
	json_close(&list->json, ']');
	page_samples_put_frames(list);
	json_close(&list->json, '}');
}

/* The timeline's own names of stacks: their innermost functions. */
static void page_samples_name_stacks(const struct page_samples *samples)
{
	for (size_t i = 0; i < samples->count; i++) {
		const struct sample_place *place = samples_place(samples->samples,
								 samples->seen[i].place);
		size_t length = 0, json_bytes = 0;
		char *text = place ? frame_text(samples, place, &length) : NULL, *quoted = NULL;
		struct json json = { .out = page_text_open(&quoted, &json_bytes) };

		if (place)
			json_text(&json, NULL, text, length);
		else
			json_string(&json, NULL,
				    samples->seen[i].place == SAMPLE_TORN_PLACE ? SAMPLE_TORN
										: "(unknown)");
		fclose(json.out);
		timeline_set_name(samples->timeline, samples->seen[i].name, quoted, json_bytes);
		free(quoted);
		free(text);
	}
}

/* The first samples->kept stacks. */
static char *stacks_json(const struct page_samples *samples, size_t *ret_length)
{
	struct stack_list list = { .samples = samples };
	char *text = NULL;

	list.number = memory_zero(samples->samples->place_count + 1, sizeof(*list.number));
	map_init(&list.texts);
	for (size_t i = 0; i < samples->kept; i++)
		page_samples_list_add(&list,
				      samples_place(samples->samples, samples->seen[i].place));
	list.json.out = page_text_open(&text, ret_length);
	page_samples_put_stacks(&list);
	fclose(list.json.out);
	map_release(&list.texts);
	free(list.place);
	free(list.number);
	return text;
}

void page_samples_put(struct page_samples *samples, struct page *page, uint64_t room)
{
	size_t length;
	char *text;

	page_samples_name_stacks(samples);
	samples->kept = samples->count;
	if (!samples->count)
		return;
	text = stacks_json(samples, &length);
	while (samples->kept && page_file_weigh(text, length) > room) {
		samples->kept /= 2;
		free(text);
		text = stacks_json(samples, &length);
	}
	page_file_put(&page->file, "timeline-stacks", text, length);
	free(text);
}
