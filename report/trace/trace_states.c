/* SPDX-License-Identifier: MIT */
/*
 * The state of GPUs as gauges of the first process of the file, by the number of the card in it:
 * CUPTI may tell much later which process uses which card as which device. See producer.h.
 */
#include "report/device/device_states.h"
#include "report/trace/producer.h"

#define MW_A_WATT 1000u

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

static void trace_states_take(void *context, const struct device_sample_seen *seen)
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
			  DEVICE_THROTTLES(device_reason_kinds(sample->reasons - 1)) != 0);
}

void trace_states_start(struct trace *trace, struct run *run)
{
	if (trace->writer->gauge)
		(void)device_states_want(run,
					 &(struct device_states_options){ .take = trace_states_take,
									  .context = trace });
}
