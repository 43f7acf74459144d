/* SPDX-License-Identifier: MIT */
/* Report `steps`: how long the steps of a training loop took, and what the time was used for. */
#include <string.h>

#include "report/ranges/range_names.h"
#include "report/core/report_kind.h"
#include "report/steps/detail_cost.h"
#include "report/steps/rows_steps.h"
#include "report/steps/step_events.h"

#define NAME_BYTES 61
#define OPTIMIZER "Optimizer.step#"

struct steps_state {
	struct steps_shown shown;
	const struct range_names *names;
	struct step_clock_sides sides;
	char explained[RANGE_NAMES_BYTES + 4 * NAME_BYTES];
};

static const struct steps *steps_of(const struct report *report)
{
	return ((const struct steps_state *)report->state)->shown.steps;
}

/* "detail costs 1.7 % of the steps' time": of what INTERCEPT_BUDGET draws. */
static void print_detail_cost(const struct steps *steps, const struct screen *screen)
{
	char share[UNIT_TEXT_BYTES], step[UNIT_TEXT_BYTES];
	struct detail_cost cost;

	if (steps->detailed == steps->time.count || !steps_detail_cost(steps, &cost))
		return;
	screen_print_prose(screen,
			   "detail costs %s of the steps' time (%s in each step that has it)",
			   unit_format_percent(share, 100 * cost.share),
			   unit_format_ns(step, (uint64_t)cost.step_ns));
}

/* "1,215 MHz": 0 is unknown. */
static void print_clock_side(const struct step_clock_side *side, const struct screen *screen)
{
	char time[UNIT_TEXT_BYTES], mhz[UNIT_TEXT_BYTES];

	fprintf(screen->out, "median %s", unit_format_ns(time, side->p50_ns));
	if (side->p50_mhz)
		fprintf(screen->out, " at %s MHz", unit_format_count(mhz, side->p50_mhz));
}

/* Which steps were throttled, and how long those took: what they did need not be the same. */
static void print_throttled(const struct step_clock_sides *sides, const struct screen *screen)
{
	char some[UNIT_TEXT_BYTES], all[UNIT_TEXT_BYTES];
	struct prose line;

	if (!sides->throttled.steps)
		return;
	prose_begin(&line, screen);
	fprintf(line.screen.out,
		"power or temperature held the GPU's clock down for most of %s of %s step%s: ",
		unit_format_count(some, sides->throttled.steps),
		unit_format_count(all, sides->throttled.steps + sides->others.steps),
		sides->throttled.steps + sides->others.steps == 1 ? "" : "s");
	print_clock_side(&sides->throttled, &line.screen);
	if (sides->others.steps) {
		fputs("; the others: ", line.screen.out);
		print_clock_side(&sides->others, &line.screen);
	}
	prose_end(&line, screen);
}

/* Which phases a sample of the operators does not tell. */
static const char *sample_lacks(const struct steps *steps)
{
	if (steps->is_unsure)
		return "forward, backward, the optimizer and evaluation are not known";
	return steps->lacks_passes ? "forward, backward and evaluation are in the rest"
				   : "evaluation is in the rest";
}

static void steps_say_parts(const struct steps_state *state, const struct screen *screen)
{
	const struct steps *steps = state->shown.steps;
	struct prose line;

	if (steps->time.count) {
		prose_begin(&line, screen);
		steps_print_times(&state->shown, &line.screen);
		prose_end(&line, screen);
	}
	if (steps->detailed_ns) {
		prose_begin(&line, screen);
		fputs("time: ", line.screen.out);
		steps_print_shares(steps->ns, &steps->cpu, steps->detailed_ns, &line.screen);
		prose_end(&line, screen);
		prose_begin(&line, screen);
		fputs("phases: ", line.screen.out);
		steps_print_phases(&(struct step_phases_shown){ steps, &steps->host, &steps->phases,
								steps->detailed },
				   &line.screen);
		prose_end(&line, screen);
	}
	if (step_phases_asked(&steps->phases)) {
		prose_begin(&line, screen);
		fputs("what the GPU worked for: ", line.screen.out);
		steps_print_asked(&steps->phases, &line.screen);
		prose_end(&line, screen);
	}
}

static void steps_say_limits(const struct steps *steps, const struct screen *screen)
{
	char number[UNIT_TEXT_BYTES];

	if (steps->has_sample && steps->time.count)
		screen_print_prose(screen,
				   "not all operators were recorded (INTERCEPT_OPERATORS): "
				   "operators took more than this, and %s",
				   sample_lacks(steps));
	if (steps->has_sums)
		screen_print_prose(screen,
				   "The GPU's work was recorded as sums (INTERCEPT_GPU=sums), so "
				   "what the host did while the GPU was idle is known by phase "
				   "only: its categories have no time, and dataloader is the time "
				   "of phase data in which the GPU was idle.");
	if (steps->gpu_late)
		screen_print_prose(screen,
				   "kernels and copies that CUPTI reported too late to be whole in "
				   "their steps: %s",
				   unit_format_count(number, steps->gpu_late));
	if (steps->in_part)
		fprintf(screen->out, "%s step%s recorded in part, not listed\n",
			unit_format_count(number, steps->in_part),
			steps->in_part == 1 ? " was" : "s were");
}

static void steps_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct steps_state *state = report->state;

	steps_say_parts(state, screen);
	print_throttled(&state->sides, screen);
	print_detail_cost(state->shown.steps, screen);
	steps_say_limits(state->shown.steps, screen);
}

/* A selected name that ended no step, and which names exist. */
static const char *explain_name(struct steps_state *state, const char *why)
{
	struct range_names_text names;

	snprintf(state->explained, sizeof(state->explained), "%s; %s", why,
		 range_names_say(state->names, &names));
	return state->explained;
}

/*
 * Filters and INTERCEPT_ settings are explained as for operators; otherwise the text says what a
 * step is.
 */
static const char *steps_explain(const struct report *report, struct why_empty *absence)
{
	struct steps_state *state = report->state;
	const struct run *run = report->run;
	char why[4 * NAME_BYTES];

	if (state->shown.name)
		return explain_name(state, "no range of that name was recorded from begin to end");
	if (range_names_why(run, why, sizeof(why)))
		return explain_name(state, why);
	if (!run_events(report->run, EVT_step) &&
	    (run_filters(run)->any || why_empty_is_whole(run) || !why_empty_is_limited(run)))
		return why_empty_explain(run, EVT_FAMILY_steps, absence);
	return "no whole step was recorded";
}

/*
 * Says where a step ends: it may be a surprise that the rest of an iteration is in the next step.
 */
static void steps_foot(const struct document *document, const struct screen *screen)
{
	const struct steps_state *state = ((const struct report *)document->context)->state;
	const struct steps *steps = state->shown.steps;
	const struct source_name *name = source_name_at(state->shown.source, steps->name);
	bool is_optimizer = !state->shown.name && name->text && name->length >= strlen(OPTIMIZER) &&
			    !memcmp(name->text, OPTIMIZER, strlen(OPTIMIZER));

	screen_print_prose(screen, "What follows %s belongs to the next step.",
			   is_optimizer ? "optimizer.step()" : "the end of a step");
}

static void steps_prepare(struct report *report)
{
	const char *name = report->request->options->of_report[REPORT_OPTION_step].text;
	struct steps_state *state = report->state;

	state->shown = (struct steps_shown){
		.steps = steps_want(report->run,
				    &(struct steps_options){ .name = name, .wants_rows = true }),
		.source = run_source(report->run),
		.name = name,
	};
	state->shown.clocks = step_clocks_want(report->run, NULL);
	state->names = range_names_want(report->run, NULL);
	run_counts(report->run, EVT_torch_sampling);
	run_counts(report->run, EVT_step);
}

static void steps_fill(struct report *report, struct table *table)
{
	struct steps_state *state = report->state;

	state->shown.has_io = !why_empty_is_off(report->run, EVT_FAMILY_io);
	state->shown.has_waits = !why_empty_is_off(report->run, EVT_FAMILY_osrt);
	state->shown.has_gc = !why_empty_is_off(report->run, EVT_FAMILY_gc);
	state->sides = step_clocks_sides(state->shown.clocks, state->shown.steps);
	steps_fill_table(&state->shown, table);
}

static void total_split(struct facts *facts, const struct cpu_span *cpu, const uint64_t ns[2],
			const char *running, const char *waiting)
{
	uint64_t running_ns, waiting_ns;

	if (!step_cpu_split(cpu, ns[0], ns[1], &running_ns, &waiting_ns)) {
		facts_none(facts, running, UNIT_NS);
		facts_none(facts, waiting, UNIT_NS);
		return;
	}
	facts_number(facts, running, UNIT_NS, running_ns);
	facts_number(facts, waiting, UNIT_NS, waiting_ns);
}

static void total_phase(const struct steps *steps, struct facts *facts, const char *name,
			enum unit unit, int phase, uint64_t value)
{
	if (steps_know_phase(steps, (enum step_phase)phase))
		facts_number(facts, name, unit, value);
	else
		facts_none(facts, name, unit);
}

static void total_phases(const struct steps *steps, struct facts *facts)
{
	static const char *const host[STEP_PHASE_LIMIT] = { "data_ns",
							    "forward_ns",
							    "backward_ns",
							    "optimizer_ns",
							    NULL, /* also a category */
							    "evaluation_ns",
							    "other_phase_ns" };
	static const char *const gpu[STEP_PHASE_LIMIT] = {
		"gpu_data_ns",       "gpu_forward_ns",       "gpu_backward_ns",
		"gpu_optimizer_ns",  "gpu_communication_ns", "gpu_evaluation_ns",
		"gpu_other_phase_ns"
	};
	static const char *const asked[STEP_PHASE_LIMIT] = {
		"gpu_asked_data_ns",       "gpu_asked_forward_ns",       "gpu_asked_backward_ns",
		"gpu_asked_optimizer_ns",  "gpu_asked_communication_ns", "gpu_asked_evaluation_ns",
		"gpu_asked_other_phase_ns"
	};
	static const char *const launches[STEP_PHASE_LIMIT] = {
		"data_launches",       "forward_launches",       "backward_launches",
		"optimizer_launches",  "communication_launches", "evaluation_launches",
		"other_phase_launches"
	};

	for (int i = 0; i < STEP_PHASE_LIMIT; i++)
		if (host[i])
			total_phase(steps, facts, host[i], UNIT_NS, i, steps->host.phases.ns[i]);
	for (int i = 0; i < STEP_PHASE_LIMIT && steps->has_gpu; i++)
		total_phase(steps, facts, gpu[i], UNIT_NS, i, steps->phases.gpu_ns[i]);
	for (int i = 0; i < STEP_PHASE_LIMIT && step_phases_asked(&steps->phases); i++)
		total_phase(steps, facts, asked[i], UNIT_NS, i, steps->phases.asked_ns[i]);
	for (int i = 0; i < STEP_PHASE_LIMIT && steps_launched(steps); i++)
		total_phase(steps, facts, launches[i], UNIT_COUNT, i, steps->phases.launches[i]);
}

static void total_detail_cost(const struct steps *steps, struct facts *facts)
{
	struct detail_cost cost;

	if (!steps_detail_cost(steps, &cost)) {
		facts_none(facts, "detail_cost_ns", UNIT_NS);
		return;
	}
	facts_number(facts, "detail_cost_ns", UNIT_NS,
		     (uint64_t)(cost.share * (double)steps->time.total_ns));
}

static void total_host_splits(const struct steps *steps, struct facts *facts)
{
	total_split(
		facts, &steps->cpu.operators,
		(const uint64_t[2]){ steps->ns[STEP_operators], steps->cpu.helped_operators_ns },
		"operators_running_ns", "operators_waiting_ns");
	total_split(facts, &steps->cpu.other,
		    (const uint64_t[2]){ steps->ns[STEP_other], steps->cpu.helped_other_ns },
		    "other_running_ns", "other_waiting_ns");
}

static void total_side(const struct step_clock_side *side, struct facts *facts, const char *time,
		       const char *clock)
{
	if (!side->steps)
		return;
	facts_number(facts, time, UNIT_NS, side->p50_ns);
	if (side->p50_mhz)
		facts_number(facts, clock, UNIT_COUNT, side->p50_mhz);
}

/* Nothing if NVML told nothing about any step. */
static void total_throttled(const struct step_clock_sides *sides, struct facts *facts)
{
	if (!sides->throttled.steps && !sides->others.steps)
		return;
	facts_number(facts, "throttled_steps", UNIT_COUNT, sides->throttled.steps);
	facts_number(facts, "unthrottled_steps", UNIT_COUNT, sides->others.steps);
	total_side(&sides->throttled, facts, "throttled_p50_ns", "throttled_p50_mhz");
	total_side(&sides->others, facts, "unthrottled_p50_ns", "unthrottled_p50_mhz");
}

static void steps_total(const struct report *report, struct facts *facts)
{
	static const char *const names[STEP_CATEGORY_LIMIT] = {
#define CATEGORY(name) #name "_ns",
		STEP_CATEGORIES(CATEGORY)
#undef CATEGORY
	};
	const struct steps *steps = steps_of(report);

	facts_number(facts, "steps", UNIT_COUNT, steps->time.count);
	facts_number(facts, "in_part", UNIT_COUNT, steps->in_part);
	facts_number(facts, "total_ns", UNIT_NS, steps->time.total_ns);
	if (steps->detailed != steps->time.count) {
		facts_number(facts, "detailed", UNIT_COUNT, steps->detailed);
		facts_number(facts, "detailed_ns", UNIT_NS, steps->detailed_ns);
		if (steps->has_gpu_windows) {
			facts_number(facts, "with_phases", UNIT_COUNT, steps->host.steps);
			facts_number(facts, "with_phases_ns", UNIT_NS, steps->host.total_ns);
		}
		total_detail_cost(steps, facts);
	}
	facts_number(facts, "avg_ns", UNIT_NS, timing_average(&steps->time));
	facts_number(facts, "p50_ns", UNIT_NS, timing_percentile(&steps->time, 50));
	facts_number(facts, "p90_ns", UNIT_NS, timing_percentile(&steps->time, 90));
	facts_number(facts, "p99_ns", UNIT_NS, timing_percentile(&steps->time, 99));
	facts_number(facts, "max_ns", UNIT_NS, steps->time.max_ns);
	for (int i = steps->has_gpu ? 0 : STEP_FIRST_OF_HOST; i < STEP_CATEGORY_LIMIT; i++)
		if (!steps_know(steps, (enum step_category)i, true))
			facts_none(facts, names[i], UNIT_NS);
		else if (i != STEP_gc || !why_empty_is_off(report->run, EVT_FAMILY_gc))
			facts_number(facts, names[i], UNIT_NS, steps->ns[i]);
	if (!why_empty_is_off(report->run, EVT_FAMILY_gc))
		facts_number(facts, "collections", UNIT_COUNT, steps->collections);
	if (steps->has_gpu)
		facts_number(facts, "gpu_ns", UNIT_NS, steps->gpu_ns);
	if (steps->has_gpu)
		facts_number(facts, "gpu_late", UNIT_COUNT, steps->gpu_late);
	total_split(facts, &steps->cpu.all,
		    (const uint64_t[2]){ steps->time.total_ns, steps->cpu.helped_ns }, "running_ns",
		    "waiting_ns");
	if (steps_know(steps, STEP_operators, true))
		total_host_splits(steps, facts);
	total_phases(steps, facts);
	facts_number(facts, "helped_ns", UNIT_NS, steps->cpu.helped_ns);
	total_throttled(&((const struct steps_state *)report->state)->sides, facts);
}

const struct report_kind report_kind_steps = {
	.state_bytes = sizeof(struct steps_state),
	.form = REPORT_PART,
	.want = steps_prepare,
	.fill = steps_fill,
	.total = steps_total,
	.explain = steps_explain,
	.head = steps_head,
	.foot = steps_foot,
};
