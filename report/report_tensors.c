/* SPDX-License-Identifier: MIT */
/* Report `tensors`: memory of PyTorch's tensors, by operator and device; who holds the peak. */
#include <stdio.h>
#include <stdlib.h>

#include "report/absence.h"
#include "report/keys.h"
#include "report/report.h"
#include "report/rows_heap.h"
#include "report/rows_tensors.h"
#include "report/scope.h"

#define FACTS_OF_ALL 8u
#define FACTS_OF_DEVICE 9u

static void device_print(const struct model *model, const struct tensor_device *device,
			 const struct screen *screen)
{
	char name[TENSOR_DEVICE_BYTES], a[UNIT_TEXT_BYTES], b[UNIT_TEXT_BYTES];
	uint64_t end_ns = source_end_ns(model->source);
	struct scope_text still_live;

	screen_print(screen, SCREEN_BOLD, "%s", tensor_device_text(device->device, name));
	fprintf(screen->out, "  peak %s at %s", unit_format_bytes(a, device->live.peak_bytes),
		unit_format_ns(b, device->live.peak_time_ns));
	if (device->reserved_peak)
		fprintf(screen->out, ", reserved %s", unit_format_bytes(a, device->reserved_peak));
	fprintf(screen->out, "; %s allocations", unit_format_count(a, device->flow.allocations));
	fprintf(screen->out, ", %s frees", unit_format_count(a, device->flow.frees));
	fprintf(screen->out, "; %s %s", scope_still_live(model, &still_live),
		unit_format_bytes(a, device->live.bytes));
	if (device->ooms)
		screen_print(screen, SCREEN_RED, "; out of memory %s time%s",
			     unit_format_count(a, device->ooms), device->ooms == 1 ? "" : "s");
	fputs("\n  ", screen->out);
	curve_print(&device->curve, (struct curve_extent){ device->live.peak_bytes, end_ns },
		    screen, screen->width - 4);
}

static void tensors_head(const struct document *document, const struct screen *screen)
{
	const struct model *model = document->context;
	const struct tensors *tensors = &model->tensors;
	char number[UNIT_TEXT_BYTES];

	for (size_t i = 0; i < tensors->device_count; i++)
		device_print(model, &tensors->device[i], screen);
	if (tensors->frees_unmatched)
		fprintf(screen->out, "%s frees of blocks that were never seen\n",
			unit_format_count(number, tensors->frees_unmatched));
	if (tensors->reused)
		fprintf(screen->out, "%s blocks were allocated again without a free\n",
			unit_format_count(number, tensors->reused));
	if (model->operators.one_in > 1 && tensors->device_count)
		screen_print_prose(
			screen,
			"1 in %s operators was recorded (INTERCEPT_OPERATORS): a block's "
			"owner is often an operator around the one that allocated it, or "
			"unknown. Totals of the devices hold",
			unit_format_count(number, model->operators.one_in));
	if (tensors->device_count)
		putc('\n', screen->out);
}

/* `cuda0_peak_bytes` and so on. */
static void device_fact(struct table *table, struct fact **at, const char *device, const char *what,
			struct fact fact)
{
	fact.name = text_store_format(&table->texts, "%s_%s", device, what);
	*(*at)++ = fact;
}

static void device_facts(struct table *table, const struct tensor_device *device, struct fact **at)
{
	char name[TENSOR_DEVICE_BYTES];
	size_t length = 0;

	tensor_device_text(device->device, name);
	for (const char *from = name; *from; from++)
		if (*from != ':' && *from != ' ')
			name[length++] = *from;
	name[length] = '\0';
#define DEVICE_FACT(what, unit, value) \
	device_fact(table, at, name, what, FACT_NUMBER("", unit, value))
	DEVICE_FACT("allocations", UNIT_COUNT, device->flow.allocations);
	DEVICE_FACT("frees", UNIT_COUNT, device->flow.frees);
	DEVICE_FACT("bytes_allocated", UNIT_BYTES, device->flow.bytes_allocated);
	DEVICE_FACT("peak_bytes", UNIT_BYTES, device->live.peak_bytes);
	DEVICE_FACT("peak_time_ns", UNIT_NS, device->live.peak_time_ns);
	DEVICE_FACT("live_bytes", UNIT_BYTES, device->live.bytes);
	DEVICE_FACT("reserved_bytes", UNIT_BYTES, device->reserved);
	DEVICE_FACT("reserved_peak_bytes", UNIT_BYTES, device->reserved_peak);
	DEVICE_FACT("ooms", UNIT_COUNT, device->ooms);
#undef DEVICE_FACT
}

static struct fact *tensors_facts(const struct tensors *tensors, struct table *table,
				  size_t *ret_count)
{
	const struct fact all[FACTS_OF_ALL] = {
		FACT_NUMBER("allocations", UNIT_COUNT, tensors->flow.allocations),
		FACT_NUMBER("frees", UNIT_COUNT, tensors->flow.frees),
		FACT_NUMBER("frees_unmatched", UNIT_COUNT, tensors->frees_unmatched),
		FACT_NUMBER("bytes_allocated", UNIT_BYTES, tensors->flow.bytes_allocated),
		FACT_NUMBER("peak_bytes", UNIT_BYTES, tensors->live.peak_bytes),
		FACT_NUMBER("live_bytes", UNIT_BYTES, tensors->live.bytes),
		FACT_NUMBER("ooms", UNIT_COUNT, tensors->ooms),
		FACT_NUMBER("address_reused", UNIT_COUNT, tensors->reused),
	};
	struct fact *fact, *at;

	*ret_count = FACTS_OF_ALL + tensors->device_count * FACTS_OF_DEVICE;
	fact = at = memory_zero(*ret_count, sizeof(*fact));
	for (size_t i = 0; i < FACTS_OF_ALL; i++)
		*at++ = all[i];
	for (size_t i = 0; i < tensors->device_count; i++)
		device_facts(table, &tensors->device[i], &at);
	return fact;
}

static int tensors_write(struct report_request *request, struct table *table)
{
	struct model_options options = request_model_options(request);
	struct document document = { .head = tensors_head };
	struct scope_text recorded;
	struct absence absence;
	struct model model;
	struct fact *fact;
	int status;

	options.wants_tensors = true;
	options.wants_operators = options.tensors_by == TENSORS_BY_OP;
	options.wants_ranges = options.tensors_by == TENSORS_BY_RANGE;
	model_init(&model, request->source, &options);
	request_read(request, &model);
	tensors_fill_table(&model, table);
	fact = tensors_facts(&model.tensors, table, &document.fact_count);
	document.fact = fact;
	document.context = &model;
	document.scope = scope_recorded(&model, &recorded);
	document.empty = absence_explain(&model, EVT_FAMILY_tensors, &absence);
	status = request_write(request, &document, table);
	free(fact);
	model_release(&model);
	return status;
}

int report_tensors(struct report_request *request)
{
	struct table table;
	int status;

	key_init_table(&table, request->options->by);
	status = request_prepare(request, &table);
	if (!status)
		status = tensors_write(request, &table);
	table_release(&table);
	return status;
}
