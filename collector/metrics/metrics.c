/* SPDX-License-Identifier: MIT */
/*
 * The format wants all samples of a metric together, so each metric goes over all processes. A
 * figure that is not known has no sample.
 */
#include "collector/metrics/metrics.h"

#include <stdio.h>

#include "collector/device/gpus.h"
#include "collector/processes/proc.h"

#define LABEL_BYTES 32u
#define OWN_LABELS 3u

struct metrics_writer {
	struct exposition *e;
	const struct metrics_request *request;
};

/* host, pid, rank, and one more */
struct metrics_labels {
	char pid[LABEL_BYTES], rank[LABEL_BYTES], more[LABEL_BYTES];
	struct exposition_label label[OWN_LABELS + 1];
};

static void labels_make(struct metrics_labels *labels, const struct metrics_writer *w,
			const struct tally_owner *owner)
{
	*labels = (struct metrics_labels){ .label = { { "host", w->request->common->host },
						      { "pid", labels->pid },
						      { "rank", labels->rank },
						      { "more", labels->more } } };
	snprintf(labels->pid, sizeof(labels->pid), "%u", owner->pid);
	if (owner->rank)
		snprintf(labels->rank, sizeof(labels->rank), "%u", region_rank_number(owner->rank));
}

static void metrics_put_number(const struct metrics_writer *w, const struct tally_owner *owner,
			       uint64_t value)
{
	struct metrics_labels labels;

	labels_make(&labels, w, owner);
	exposition_put_count(w->e, "", labels.label, OWN_LABELS, value);
}

static void metrics_put_time(const struct metrics_writer *w, const struct tally_owner *owner,
			     uint64_t ns)
{
	struct metrics_labels labels;

	labels_make(&labels, w, owner);
	exposition_put_ns(w->e, "", labels.label, OWN_LABELS, ns);
}

static bool metrics_lives(const struct process *process)
{
	return process->number && !process->gone && !process->told && !process->exiting;
}

static bool tally_lives(const struct metrics_writer *w, const struct tally *tally)
{
	const struct processes *processes = w->request->processes;

	for (uint32_t i = 0; i < processes->limit; i++) {
		if (processes->slot[i].number == tally->owner.process)
			return metrics_lives(&processes->slot[i]);
	}
	return false;
}

/* Calls `put` for each process that is alive, at the end for each that has a tally. */
static void each_tally(const struct metrics_writer *w,
		       void (*put)(const struct metrics_writer *, const struct tally *))
{
	const struct tallies *tallies = w->request->common->tallies;

	for (unsigned int i = 0; i < TALLY_PROCESSES; i++) {
		const struct tally *tally = &tallies->tally[i];

		if (tally->owner.process && (w->request->has_ended || tally_lives(w, tally)))
			put(w, tally);
	}
}

/* --- the whole recording --- */

static void metrics_put_up(const struct metrics_writer *w)
{
	metrics_put_number(w, &w->request->first, !w->request->has_ended);
}

static void metrics_put_processes(const struct metrics_writer *w)
{
	const struct processes *processes = w->request->processes;
	uint64_t alive = 0;

	for (uint32_t i = 0; i < processes->limit; i++)
		alive += metrics_lives(&processes->slot[i]);
	metrics_put_number(w, &w->request->first, w->request->has_ended ? 0 : alive);
}

static void metrics_put_lost_events_total(const struct metrics_writer *w)
{
	metrics_put_number(w, &w->request->first, w->request->common->cost.lost);
}

static void metrics_put_recorder_cpu_seconds_total(const struct metrics_writer *w)
{
	metrics_put_time(w, &w->request->first, w->request->common->cost.cpu_ns);
}

static void metrics_put_recorder_memory_bytes(const struct metrics_writer *w)
{
	metrics_put_number(w, &w->request->first, w->request->common->cost.memory_bytes);
}

static void metrics_put_recorder_events_total(const struct metrics_writer *w)
{
	metrics_put_number(w, &w->request->first, w->request->common->cost.records);
}

static void metrics_put_recorder_file_bytes(const struct metrics_writer *w)
{
	metrics_put_number(w, &w->request->first, w->request->common->cost.file_bytes);
}

static void metrics_put_recorder_waits_total(const struct metrics_writer *w)
{
	metrics_put_number(w, &w->request->first, w->request->common->cost.waits);
}

static void metrics_put_write_errors_total(const struct metrics_writer *w)
{
	metrics_put_number(w, &w->request->first, w->request->write_errors);
}

static void metrics_put_processes_left_out_total(const struct metrics_writer *w)
{
	metrics_put_number(w, &w->request->first, w->request->common->tallies->refused);
}

/* --- steps --- */

#define PER_PROCESS(name, condition, put)                                                \
	static void name##_of(const struct metrics_writer *w, const struct tally *tally) \
	{                                                                                \
		if (condition)                                                           \
			put;                                                             \
	}                                                                                \
	static void metrics_put_##name(const struct metrics_writer *w)                   \
	{                                                                                \
		each_tally(w, name##_of);                                                \
	}

static void histogram_put(const struct metrics_writer *w, const struct tally *tally)
{
	struct metrics_labels labels;
	uint64_t count = 0;

	labels_make(&labels, w, &tally->owner);
	labels.label[OWN_LABELS].name = "le";
	for (unsigned int i = 0; i < TALLY_STEP_CLASSES; i++) {
		count += tally->step_class[i];
		if (i < TALLY_STEP_CLASSES - 1)
			snprintf(labels.more, sizeof(labels.more), "%g",
				 tally_step_bounds_us[i] / 1e6);
		else
			snprintf(labels.more, sizeof(labels.more), "+Inf");
		exposition_put_count(w->e, "_bucket", labels.label, OWN_LABELS + 1, count);
	}
	exposition_put_ns(w->e, "_sum", labels.label, OWN_LABELS, tally->step_ns);
	exposition_put_count(w->e, "_count", labels.label, OWN_LABELS, tally->steps);
}

static void phases_put(const struct metrics_writer *w, const struct tally *tally)
{
	static const char *const names[] = {
#define PHASE(name) #name,
		TALLY_PHASES(PHASE)
#undef PHASE
	};
	struct metrics_labels labels;

	labels_make(&labels, w, &tally->owner);
	labels.label[OWN_LABELS].name = "phase";
	for (unsigned int i = 0; i < TALLY_PHASE_NONE; i++) {
		if (i == TALLY_PHASE_backward && tally->operators_sampled)
			continue; /* most of them are not recorded */
		snprintf(labels.more, sizeof(labels.more), "%s", names[i]);
		exposition_put_ns(w->e, "", labels.label, OWN_LABELS + 1, tally->phase_ns[i]);
	}
}

static bool has_steps(const struct tally *tally)
{
	return tally->steps || tally->step_at_ns;
}

PER_PROCESS(steps_total, has_steps(tally), metrics_put_number(w, &tally->owner, tally->steps))
PER_PROCESS(step_number, has_steps(tally), metrics_put_number(w, &tally->owner, tally->step_number))
PER_PROCESS(step_last_seconds, tally->steps,
	    metrics_put_time(w, &tally->owner, tally->last_step_ns))
PER_PROCESS(step_seconds, has_steps(tally), histogram_put(w, tally))
PER_PROCESS(phase_seconds_total, tally->has_phases, phases_put(w, tally))

/* --- GPUs --- */

/* A figure of each device of each process. */
static void devices_put(const struct metrics_writer *w, const struct tally *tally,
			void (*put)(const struct metrics_writer *, const struct metrics_labels *,
				    const struct tally_device *))
{
	struct metrics_labels labels;

	labels_make(&labels, w, &tally->owner);
	labels.label[OWN_LABELS].name = "device";
	for (unsigned int i = 0; i < TALLY_DEVICES; i++) {
		if (!tally->device[i].used)
			continue;
		snprintf(labels.more, sizeof(labels.more), "%u", tally->device[i].device);
		put(w, &labels, &tally->device[i]);
	}
}

#define PER_DEVICE(name, kind, value)                                                  \
	static void name##_of_device(const struct metrics_writer *w,                   \
				     const struct metrics_labels *labels,              \
				     const struct tally_device *device)                \
	{                                                                              \
		exposition_put_##kind(w->e, "", labels->label, OWN_LABELS + 1, value); \
	}                                                                              \
	PER_PROCESS(name, true, devices_put(w, tally, name##_of_device))

PER_DEVICE(gpu_busy_seconds_total, ns, device->busy.busy_ns)
PER_DEVICE(gpu_kernels_total, count, device->kernels)
PER_DEVICE(gpu_kernel_seconds_total, ns, device->kernel_ns)
PER_DEVICE(gpu_copies_total, count, device->copies)
PER_DEVICE(gpu_copied_bytes_total, count, device->copied_bytes)
PER_PROCESS(gpu_lost_total, tally->gpu_lost || tally->device[0].used,
	    metrics_put_number(w, &tally->owner, tally->gpu_lost))

/* --- GPUs by NVML: a figure of each one that a living process uses --- */

#define CARD_FRESH_NS 5000000000ull   /* older samples say nothing of now */
#define REASONS_OF_THROTTLING 0xe4ull /* power cap and brake, temperature: nvmlClocksEventReasons */
#define NS_A_MW 1000000u              /* exposition_put_ns() writes billionths */
#define HZ_A_MHZ 1000000u

static bool card_is_fresh(const struct metrics_writer *w, const struct gpus_sample *card)
{
	const struct common *common = w->request->common;
	uint64_t now_ns = clockmap_ns(&common->clock, clockmap_now(&common->clock));

	return card->is_known && !w->request->has_ended && now_ns < card->time_ns + CARD_FRESH_NS;
}

#define PER_CARD(name, field, kind, value)                                                    \
	static void metrics_put_##name(const struct metrics_writer *w)                        \
	{                                                                                     \
		const struct gpus *gpus = w->request->common->gpus;                           \
		struct metrics_labels labels;                                                 \
                                                                                              \
		labels_make(&labels, w, &w->request->first);                                  \
		for (unsigned int i = 0; gpus && i < GPUS_CARDS; i++) {                       \
			uint64_t answer = gpus->card[i].sample.field;                         \
                                                                                              \
			if (!answer-- || !card_is_fresh(w, &gpus->card[i]))                   \
				continue;                                                     \
			labels.label[OWN_LABELS] = (struct exposition_label){                 \
				"uuid", gpus->card[i].uuid                                    \
			};                                                                    \
			exposition_put_##kind(w->e, "", labels.label, OWN_LABELS + 1, value); \
		}                                                                             \
	}
PER_CARD(gpu_power_watts, power_mw, ns, answer *NS_A_MW)
PER_CARD(gpu_sm_clock_hertz, sm_clock_mhz, count, answer *HZ_A_MHZ)
PER_CARD(gpu_temperature_celsius, temperature_c, count, answer)
PER_CARD(gpu_throttled, reasons, count, (answer & REASONS_OF_THROTTLING) != 0)

/* --- memory --- */

static void metrics_put_resident_bytes(const struct metrics_writer *w)
{
	const struct processes *processes = w->request->processes;

	for (uint32_t i = 0; i < processes->limit; i++) {
		const struct process *process = &processes->slot[i];
		const struct tally_owner owner = {
			.pid = view_load32(&w->request->common->view.process[process->entry].pid),
			.rank = process->rank
		};
		struct proc_memory memory = process->memory;

		if (!metrics_lives(process))
			continue;
		if (processes->inspect && process->pid)
			(void)proc_memory(process->pid, &memory);
		if (memory.resident_bytes)
			metrics_put_number(w, &owner, memory.resident_bytes);
	}
}

static void heap_put(const struct metrics_writer *w, const struct tally *tally)
{
	const struct tallies *tallies = w->request->common->tallies;

	metrics_put_number(w, &tally->owner,
			   heap_live_bytes(&tallies->heap, (unsigned int)(tally - tallies->tally)));
}

static void collections_put(const struct metrics_writer *w, const struct tally *tally)
{
	struct metrics_labels labels;

	labels_make(&labels, w, &tally->owner);
	labels.label[OWN_LABELS].name = "generation";
	for (unsigned int i = 0; i < TALLY_GENERATIONS; i++) {
		snprintf(labels.more, sizeof(labels.more), "%u", i);
		exposition_put_count(w->e, "", labels.label, OWN_LABELS + 1, tally->collections[i]);
	}
}

PER_PROCESS(heap_live_bytes,
	    tally->has_heap && !w->request->common->tallies->heap.failed && tally_lives(w, tally),
	    heap_put(w, tally))
PER_PROCESS(gc_collections_total, tally->has_collections, collections_put(w, tally))
PER_PROCESS(gc_seconds_total, tally->has_collections,
	    metrics_put_time(w, &tally->owner, tally->collection_ns))

/* --- all of them --- */

void metrics_write(struct exposition *e, const struct metrics_request *request)
{
	const struct metrics_writer writer = { e, request };

#define METRIC(name, type, help)                 \
	exposition_begin(e, #name, #type, help); \
	metrics_put_##name(&writer);
#include "collector/metrics/metrics.def"
}
