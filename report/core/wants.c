/* SPDX-License-Identifier: MIT */
/*
 * From a model's options to events and fields: see wants.h. Families that are small in any recording are
 * read as a whole.
 */
#include "report/core/wants.h"

#include "report/core/analysis.h"

static void want(struct frame_wants *wants, enum evt_id id, uint32_t fields)
{
	wants->event[id] = true;
	wants->fields[id] |= fields;
}

static void want_family(struct frame_wants *wants, enum evt_family family)
{
	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++)
		if (evt_descriptors[id].name && evt_descriptors[id].family == family)
			want(wants, (enum evt_id)id, FIELDS_ALL);
}

static const enum evt_id births[] = { EVT_malloc, EVT_calloc, EVT_realloc, EVT_memalign };
static const enum evt_id deaths[] = { EVT_free, EVT_realloc_free, EVT_realloc_failed };

static void want_heap(struct frame_wants *wants, const struct model_options *options)
{
	if (options->wants_heap) {
		want_family(wants, EVT_FAMILY_alloc);
		return;
	}
	if (options->skips_work)
		return;
	for (size_t i = 0; i < sizeof(births) / sizeof(births[0]); i++) {
		wants->fields[births[i]] = FIELD_BIT(malloc, size);
		wants->sum[births[i]] = true;
		wants->event[births[i]] = filter_is_set(&options->filter);
	}
	for (size_t i = 0; i < sizeof(deaths) / sizeof(deaths[0]); i++)
		wants->event[deaths[i]] = filter_is_set(&options->filter);
	/* of the process, not of one thread */
	wants->exact[EVT_nvtx_start] = wants->exact[EVT_nvtx_end] = true;
}

static void want_torch(struct frame_wants *wants, const struct model_options *options)
{
	bool follows = options->wants_operators || options->wants_actions || options->wants_steps;

	want(wants, EVT_torch_sampling, FIELDS_ALL);
	want(wants, EVT_fact, FIELDS_ALL);
	if (follows || (!options->skips_work && filter_is_set(&options->filter))) {
		want_family(wants, EVT_FAMILY_torch);
	} else if (!options->skips_work) {
		want(wants, EVT_torch_begin, FIELDS_ALL);
		want(wants, EVT_torch_begin_ex,
		     FIELD_BIT(torch_begin_ex, name) | FIELD_BIT(torch_begin_ex, scope));
		want(wants, EVT_torch_async_begin, FIELDS_ALL);
	}
}

static void want_tensors(struct frame_wants *wants, const struct model_options *options)
{
	bool follows = options->wants_tensors ||
		       (options->wants_operators && !options->skips_memory);

	if (follows || (!options->skips_work && filter_is_set(&options->filter)))
		want_family(wants, EVT_FAMILY_tensors);
	else if (!options->skips_work)
		want(wants, EVT_tensor_alloc, FIELD_BIT(tensor_alloc, bytes));
}

void wants_of_model(struct frame_wants *ret_wants, const struct model_options *options)
{
	*ret_wants = (struct frame_wants){ 0 };
	want_family(ret_wants, EVT_FAMILY_nvtx);
	want_family(ret_wants, EVT_FAMILY_capture);
	want_family(ret_wants, EVT_FAMILY_steps);
	want_heap(ret_wants, options);
	want_torch(ret_wants, options);
	want_tensors(ret_wants, options);
	if (options->wants_cuda || options->wants_steps || options->wants_operators ||
	    !options->skips_work)
		want_family(ret_wants, EVT_FAMILY_cuda);
	if (options->wants_modules || (!options->skips_work && filter_is_set(&options->filter)))
		want_family(ret_wants, EVT_FAMILY_modules);
}
