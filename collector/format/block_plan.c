/* SPDX-License-Identifier: MIT */
/*
 * Makes plans: see block_plan.h. Addresses in the heap's codecs and sizes are in columns that
 * several events share. So to read those of one event, the values of the others must be skipped one
 * by one.
 */
#include "collector/format/block_plan.h"

#include <string.h>

static bool plan_is_born(const struct event_plan *p)
{
	return p->steps == 2 && p->words == 3 && p->has_caller && p->caller_word == 2 &&
	       p->step[0].codec == EVT_CODEC_born && p->step[0].word == 0 &&
	       p->step[1].codec == EVT_CODEC_size && p->step[1].word == 1;
}

static bool plan_is_dies(const struct event_plan *p)
{
	return p->steps == 1 && p->words == 1 && !p->has_caller &&
	       p->step[0].codec == EVT_CODEC_dies && p->step[0].word == 0;
}

static void plan_count_values(struct event_plan *p)
{
	p->values = 2; /* kind and time */
	p->births = p->deaths = p->sizes = 0;
	for (unsigned int i = 0; i < p->steps; i++) {
		p->births += p->step[i].codec == EVT_CODEC_born;
		p->deaths += p->step[i].codec == EVT_CODEC_dies;
		p->sizes += p->step[i].codec == EVT_CODEC_size;
		p->values++;
	}
}

static bool plan_is_heap(const struct event_plan *p)
{
	for (unsigned int i = 0; i < p->steps; i++)
		if (codec_is_timed_in_units(p->step[i].codec))
			return true;
	return false;
}

/*
 * The short forms are for the heap: they write one word more, for which other events have no room.
 */
static uint8_t plan_shape_of(const struct event_plan *p)
{
	if (!p->extra)
		return PLAN_GENERIC;
	return plan_is_born(p) ? PLAN_BORN : plan_is_dies(p) ? PLAN_DIES : PLAN_GENERIC;
}

/* Makes the field with that number in the file the next step. */
static void plan_add_step(struct event_plan *p, const struct schema_event *event, uint32_t id,
			  uint32_t number)
{
	unsigned int word = 0;

	for (unsigned int i = 0; i < event->field_count; i++) {
		const struct schema_field *field = &event->field[i];

		if (field->number == number && field->codec != EVT_CODEC_caller)
			p->step[p->steps++] = (struct plan_step){
				.codec = (uint8_t)field->codec,
				.word = (uint8_t)word,
				.field = (uint8_t)i,
				.column = (uint16_t)column_of_field(id, number),
			};
		word += field->codec == EVT_CODEC_text ? 2 : 1;
	}
}

static void plan_make(struct event_plan *p, const struct schema_event *event, uint32_t id)
{
	const char *system = evt_family_names[EVT_FAMILY_system];

	*p = (struct event_plan){ .caller_word = PLAN_NOWHERE };
	p->is_system = strcmp(event->family, system) == 0 ||
		       (evt_descriptors[id].name &&
			evt_descriptors[id].family == EVT_FAMILY_system);
	for (unsigned int i = 0; i < event->field_count; i++) {
		if (event->field[i].codec == EVT_CODEC_caller &&
		    event->field[i].number != SCHEMA_ABSENT) {
			p->has_caller = true;
			p->caller_word = p->words;
			p->caller_field = (uint8_t)i;
		}
		p->words += event->field[i].codec == EVT_CODEC_text ? 2 : 1;
	}
	for (uint32_t number = 0; number < EVT_FIELDS_MAX; number++)
		plan_add_step(p, event, id, number);
	plan_count_values(p);
	p->is_heap = plan_is_heap(p);
	p->extra = evt_is_of_block(id);
	p->shape = plan_shape_of(p);
}

void event_plans_init(struct event_plans *plans, const struct schema *schema)
{
	for (uint32_t id = 0; id < EVT_ID_LIMIT; id++) {
		if (!schema->event[id].name)
			continue;
		plan_make(&plans->full[id], &schema->event[id], id);
		plans->id_limit = id + 1;
		if (id >= EVT_ID_BLOCKS)
			plans->block_number[id - EVT_ID_BLOCKS] = (uint16_t)schema->event[id]
									  .number;
	}
	event_plans_want(plans, NULL);
}

uint32_t event_plans_find_block(const struct event_plans *plans, uint64_t number)
{
	for (uint32_t id = EVT_ID_BLOCKS; id < plans->id_limit; id++)
		if (plans->block_number[id - EVT_ID_BLOCKS] == number)
			return id;
	return 0;
}

/* Which shared columns must be skipped through. */
struct shared_wants {
	bool addresses, sizes;
};

static bool plan_wants_event(const struct event_plan *p, const struct frame_wants *wants,
			     uint32_t id, bool exact)
{
	return p->is_system || wants->event[id] || (exact && wants->sum[id]);
}

static bool plan_wants_field(const struct event_plan *p, const struct frame_wants *wants,
			     uint32_t id, unsigned int field)
{
	return p->is_system || (wants->fields[id] & 1u << field);
}

/* The extra word shows that the event is about heap blocks. */
static bool plan_is_record(const struct event_plan *p, const struct frame_wants *wants)
{
	return wants->heap && p->extra;
}

static struct shared_wants plans_find_shared(const struct event_plan *full, uint32_t id_limit,
					     const struct frame_wants *wants, bool exact)
{
	struct shared_wants shared = { false, false };

	for (uint32_t id = 0; id < id_limit; id++) {
		const struct event_plan *p = &full[id];

		if (!exact && wants->sum[id])
			shared.sizes = true;
		bool is_record = plan_is_record(p, wants);

		if (!is_record && !plan_wants_event(p, wants, id, exact))
			continue;
		for (unsigned int i = 0; i < p->steps; i++) {
			const struct plan_step *step = &p->step[i];

			if (!is_record && !plan_wants_field(p, wants, id, step->field))
				continue;
			shared.addresses |= step->codec == EVT_CODEC_born ||
					    step->codec == EVT_CODEC_dies;
			shared.sizes |= step->codec == EVT_CODEC_size;
		}
	}
	return shared;
}

static bool step_is_walked(const struct plan_step *step, struct shared_wants shared)
{
	switch (step->codec) {
	case EVT_CODEC_born:
	case EVT_CODEC_dies:
		return shared.addresses;
	case EVT_CODEC_size:
		return shared.sizes;
	default:
		return false;
	}
}

/* Reduces the plan to what is wanted of the event, and what other events need of it. */
static void plan_reduce(struct event_plan *p, const struct frame_wants *wants, uint32_t id,
			bool is_event, struct shared_wants shared)
{
	unsigned int kept = 0;

	p->is_record = plan_is_record(p, wants);
	if (!is_event || !plan_wants_field(p, wants, id, p->caller_field))
		p->caller_word = PLAN_NOWHERE;
	for (unsigned int i = 0; i < p->steps; i++) {
		struct plan_step step = p->step[i];
		bool wanted = p->is_record ||
			      (is_event && plan_wants_field(p, wants, id, step.field));

		if (!wanted && !step_is_walked(&step, shared))
			continue;
		if (!wanted)
			step.word = PLAN_NOWHERE;
		p->step[kept++] = step;
	}
	p->steps = (uint8_t)kept;
	plan_count_values(p);
	if (is_event)
		p->shape = plan_shape_of(p);
	else
		p->shape = wants->sum[id] ? PLAN_SUM : kept || p->is_record ? PLAN_WALK : PLAN_PASS;
	if (!is_event)
		p->words = p->extra = 0;
}

static void plans_choose(const struct event_plans *plans, struct event_plan *plan,
			 bool *reads_shared, const struct frame_wants *wants, bool exact)
{
	struct shared_wants shared = plans_find_shared(plans->full, plans->id_limit, wants, exact);

	reads_shared[COLUMN_KIND] = reads_shared[COLUMN_TIME] = true;
	reads_shared[COLUMN_HEAP_TIME] = true;
	reads_shared[COLUMN_BORN] = reads_shared[COLUMN_BORN_ADDRESS] = shared.addresses;
	reads_shared[COLUMN_DIES] = reads_shared[COLUMN_DIES_ADDRESS] = shared.addresses;
	reads_shared[COLUMN_SIZE] = shared.sizes;
	for (uint32_t id = 0; id < plans->id_limit; id++) {
		plan[id] = plans->full[id];
		if (plan[id].shape != PLAN_NONE)
			plan_reduce(&plan[id], wants, id,
				    plan_wants_event(&plan[id], wants, id, exact), shared);
	}
}

static void plans_want_all(struct event_plans *plans)
{
	memcpy(plans->wanted, plans->full, plans->id_limit * sizeof(*plans->full));
	memcpy(plans->exact, plans->full, plans->id_limit * sizeof(*plans->full));
	memset(plans->wanted_shared, true, sizeof(plans->wanted_shared));
	memset(plans->exact_shared, true, sizeof(plans->exact_shared));
}

static bool plan_reads_caller(const struct event_plan *p)
{
	return p->has_caller && p->caller_word != PLAN_NOWHERE;
}

void event_plans_want(struct event_plans *plans, const struct frame_wants *wants)
{
	plans->sums = false;
	plans->records = wants && wants->heap;
	plans->stacks = plans->callers = !wants || wants->stacks;
	memset(plans->is_exact, 0, sizeof(plans->is_exact));
	if (!wants) {
		plans_want_all(plans);
		return;
	}
	plans_choose(plans, plans->wanted, plans->wanted_shared, wants, false);
	plans_choose(plans, plans->exact, plans->exact_shared, wants, true);
	memcpy(plans->is_exact, wants->exact, sizeof(plans->is_exact));
	plans->callers |= plans->records;
	for (uint32_t id = 0; id < plans->id_limit; id++)
		plans->callers |= plan_reads_caller(&plans->wanted[id]) ||
				  plan_reads_caller(&plans->exact[id]);
	for (uint32_t id = 0; id < plans->id_limit; id++)
		plans->sums |= plans->full[id].shape != PLAN_NONE && wants->sum[id] &&
			       !plan_wants_event(&plans->full[id], wants, id, false);
}
