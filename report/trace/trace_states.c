/* SPDX-License-Identifier: MIT */
/*
 * The state of GPUs, of the first process of the file: CUPTI may tell much later which process uses
 * which card as which device. As gauges by the number of the card in the file, for viewers with
 * counters, and as whole samples. See producer.h.
 */
#include <stdio.h>
#include <string.h>

#include "report/device/device_states.h"
#include "report/trace/producer.h"

#define MW_A_WATT 1000u
#define POWER_STEP_W 10u
#define STATE_NAME_BYTES 96 /* of a name, without the reasons */

static const struct source_process *state_process(const struct trace *trace,
						  const struct source_file *file)
{
	struct source_process *const *process;
	size_t count = source_processes(trace->source, &process);

	for (size_t i = 0; i < count; i++)
		if (process[i]->file == file)
			return process[i];
	return NULL;
}

static void state_put(struct trace *trace, const struct device_sample_seen *seen,
		      struct trace_text name, uint64_t value)
{
	const struct source_process *process = state_process(trace, seen->file);
	struct trace_file *file = process ? trace_file_of(trace, process) : NULL;

	if (!file)
		return;
	trace->writer->gauge(file->state,
			     &(struct trace_event){ .category = TRACE_COUNTER,
						    .name = name,
						    .pid = trace_pid(trace, process),
						    .tid = seen->sample->card,
						    .time_ns = seen->time_ns },
			     value);
}

static void gauges_put(struct trace *context, const struct device_sample_seen *seen)
{
	const struct evt_device_sample *sample = seen->sample;

	if (sample->sm_clock_mhz)
		state_put(context, seen, TRACE_OWN("GPU clock (MHz)", TRACE_OWN_GPU_CLOCK),
			  sample->sm_clock_mhz - 1);
	if (sample->power_mw)
		state_put(context, seen, TRACE_OWN("GPU power (W)", TRACE_OWN_GPU_POWER),
			  (sample->power_mw - 1) / MW_A_WATT);
	if (sample->temperature_c)
		state_put(context, seen,
			  TRACE_OWN("GPU temperature (C)", TRACE_OWN_GPU_TEMPERATURE),
			  sample->temperature_c - 1);
	if (sample->reasons)
		state_put(context, seen, TRACE_OWN("GPU throttled (0, 1)", TRACE_OWN_GPU_THROTTLED),
			  device_sample_is_throttled(sample));
}

/* --- a sample as a whole --- */

static void states_add(struct trace_list *list, enum trace_argument_id id, uint64_t field)
{
	if (field)
		trace_add_number(list, id, field - 1);
}

/* What NVML refused is left out. */
static void list_state(struct trace *trace, struct trace_list *list,
		       const struct device_sample_seen *seen, const char *reasons)
{
	const struct evt_device_sample *sample = seen->sample;

	trace_add_text(list, TRACE_OF_UUID,
		       trace_text(&trace->texts, TRACE_AS_IS, seen->card->uuid));
	trace_add_text(list, TRACE_OF_MODEL,
		       trace_text(&trace->texts, TRACE_AS_IS, seen->card->model));
	trace_add_number(list, TRACE_OF_MIG, seen->card->told.is_part);
	states_add(list, TRACE_OF_SM_CLOCK, sample->sm_clock_mhz);
	states_add(list, TRACE_OF_MEMORY_CLOCK, sample->memory_clock_mhz);
	states_add(list, TRACE_OF_POWER, sample->power_mw);
	states_add(list, TRACE_OF_TEMPERATURE, sample->temperature_c);
	states_add(list, TRACE_OF_MEMORY_TEMPERATURE, sample->memory_temperature_c);
	states_add(list, TRACE_OF_GPU_PERCENT, sample->gpu_percent);
	states_add(list, TRACE_OF_MEMORY_PERCENT, sample->memory_percent);
	states_add(list, TRACE_OF_MEMORY_USED, sample->memory_used_bytes);
	if (!sample->reasons)
		return;
	trace_add_number(list, TRACE_OF_THROTTLED, device_sample_is_throttled(sample));
	trace_add_text(list, TRACE_OF_REASONS,
		       (struct trace_text){ .text = reasons, .length = strlen(reasons) });
}

/* Power is rounded, so that a long run has few different names. */
static size_t name_state(char *name, size_t room, const struct evt_device_sample *sample,
			 const char *reasons)
{
	const unsigned long long watts = sample->power_mw ? (sample->power_mw - 1) / MW_A_WATT : 0;
	size_t length = 0;

	if (sample->sm_clock_mhz)
		length += (size_t)snprintf(name, room, "%llu MHz",
					   (unsigned long long)sample->sm_clock_mhz - 1);
	if (sample->power_mw)
		length += (size_t)snprintf(
			name + length, room - length, "%sabout %llu W", length ? ", " : "",
			(watts + POWER_STEP_W / 2) / POWER_STEP_W * POWER_STEP_W);
	if (sample->temperature_c)
		length += (size_t)snprintf(name + length, room - length, "%s%llu C",
					   length ? ", " : "",
					   (unsigned long long)sample->temperature_c - 1);
	if (*reasons)
		length += (size_t)snprintf(name + length, room - length, "%sheld down by %s",
					   length ? ", " : "", reasons);
	return length;
}

static void whole_put(struct trace *trace, const struct device_sample_seen *seen)
{
	const struct source_process *process = state_process(trace, seen->file);
	struct trace_file *file = process ? trace_file_of(trace, process) : NULL;
	char reasons[DEVICE_REASONS_BYTES] = "", name[DEVICE_REASONS_BYTES + STATE_NAME_BYTES];
	struct trace_list list = { .count = 0 };
	struct trace_slice slice = { .duration_ns = seen->time_ns - seen->from_ns };

	if (!file)
		return;
	if (seen->sample->reasons)
		device_reasons_text(reasons, seen->sample->reasons - 1);
	list_state(trace, &list, seen, reasons);
	slice.event = (struct trace_event){
		.category = device_sample_is_throttled(seen->sample) ? TRACE_GPU_THROTTLED
								     : TRACE_GPU_STATE,
		.name = { .text = name,
			  .length = name_state(name, sizeof(name), seen->sample, reasons) },
		.pid = trace_pid(trace, process),
		.tid = seen->card->uuid,
		.time_ns = seen->from_ns,
		.argument = list.argument,
		.arguments = list.count
	};
	trace->writer->gpu_state(file->state, &slice);
}

static void trace_states_take(void *context, const struct device_sample_seen *seen)
{
	struct trace *trace = context;

	if (trace->writer->gauge)
		gauges_put(trace, seen);
	if (trace->writer->gpu_state)
		whole_put(trace, seen);
}

void trace_states_start(struct trace *trace, struct run *run)
{
	if (trace->writer->gauge || trace->writer->gpu_state)
		(void)device_states_want(run,
					 &(struct device_states_options){ .take = trace_states_take,
									  .context = trace });
}
