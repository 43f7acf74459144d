/* SPDX-License-Identifier: MIT */
/* Reads the environment. output_path.c expands INTERCEPT_OUTPUT. No malloc, no locale, no stdio. */
#include "preload/settings/settings.h"

#include <string.h>
#include <unistd.h>

#include "collector/region/region.h"
#include "preload/base/log.h"
#include "preload/settings/family_settings.h"
#include "preload/settings/module_list.h"
#include "preload/settings/output_path.h"
#include "preload/settings/presets.h"
#include "preload/settings/request_list.h"
#include "preload/base/parse.h"

#define PREFIX "INTERCEPT_"
#define PREFIX_LENGTH (sizeof(PREFIX) - 1)
#define PAGE 4096u
#define MAX_FILE_MIN (64u << 10) /* a smaller file has no room even for the bookkeeping */
#define MIB (1ull << 20)
#define STACKS_EVERY_MIN (1u << 10)
#define STACKS_EVERY_MAX (1u << 30)
#define LEAST_NS_MAX 1000000000000ull /* of INTERCEPT_OSRT_MIN and INTERCEPT_IO_MIN */
#define STACKS_DEPTH_DEFAULT 1024u
#define STACKS_DEPTH_MAX 4096u /* equals STACK_DEPTH_MAX of preload/stacks/thread.h */

struct settings settings;

static const char *preset_shown = ""; /* settings_preset() */
static bool speaking;                 /* second reading: print what is wrong */
static const char *refusal;           /* why the last value was refused */
static const char *instead;           /* what is used instead */

#define PRESET_DEFAULT "default"
#define PRESET_ALLOWED (presets_allowed + 2)
#define TRACE_DEFAULT (family_trace_default + 1)
#define TRACE_ALLOWED family_trace_allowed
#define STACKS_ALLOWED family_stacks_allowed

/* --- the environment --- */

/* Returns the value of the variable whose name is `length` bytes of `name`, or NULL. */
static const char *environment_find(const char *name, size_t length)
{
	for (char **entry = environ; entry && *entry; entry++)
		if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=')
			return *entry + length + 1;
	return NULL;
}

static const struct {
	const char *rank, *world;
} rank_variables[] = {
#define RANK_VARIABLE(rank, world) { #rank, #world },
#include "collector/region/ranks.def"
};
#define RANK_VARIABLES (sizeof(rank_variables) / sizeof(rank_variables[0]))

/* Returns the value if it is a number, else NULL. */
static const char *environment_number(const char *name)
{
	const char *value = environment_find(name, strlen(name));

	return value && *value && strspn(value, "0123456789") == strlen(value) && strlen(value) < 10
		       ? value
		       : NULL;
}

static const char *rank_find(size_t *ret_variable)
{
	for (size_t i = 0; i < RANK_VARIABLES; i++) {
		const char *value = environment_number(rank_variables[i].rank);

		*ret_variable = i;
		if (value)
			return value;
	}
	return NULL;
}

const char *settings_rank(void)
{
	size_t variable;
	const char *value = rank_find(&variable);

	return value ? value : "norank";
}

static uint32_t rank_number(const char *digits)
{
	uint32_t number = 0;

	for (; digits && *digits; digits++)
		number = number * 10 + (uint32_t)(*digits - '0');
	return number < REGION_RANK_MAX ? number : REGION_RANK_MAX;
}

static uint64_t rank_word(void)
{
	size_t variable;
	const char *rank = rank_find(&variable);

	return rank ? region_rank(rank_number(rank),
				  rank_number(environment_number(rank_variables[variable].world)),
				  (uint32_t)variable)
		    : 0;
}

/* --- one parser per setting: returns true if the value is valid and was taken --- */

static bool parse_OUTPUT(const char *value)
{
	settings.output_varies = strstr(value, "%p") || strstr(value, "%r") || strstr(value, "%e");
	return output_path_expand(value, settings.output, sizeof(settings.output));
}

static bool parse_PRESET(const char *value)
{
	const char *preset = presets_find(value);

	if (preset)
		settings.preset = preset;
	return preset != NULL;
}

const char *settings_preset(void)
{
	return preset_shown;
}

static bool parse_TRACE(const char *value)
{
	return family_trace_take(value);
}

static bool parse_STACKS(const char *value)
{
	unsigned int for_all = 0;

	memset(settings.stacks, 0, sizeof(settings.stacks));
	while (*value) {
		size_t length = strcspn(value, ",");

		for_all += length && !memchr(value, ':', length);
		if (for_all > 1)
			refusal = "has two modes for all families, and python with native is both";
		if (for_all > 1 || (length && !family_stacks_take(value, length)))
			return false;
		value += length;
		value += *value == ',';
	}
	return true;
}

static bool parse_STACKS_DEPTH(const char *value)
{
	return parse_number(value, STACKS_DEPTH_MAX, &settings.stacks_depth) &&
	       settings.stacks_depth >= 1;
}

static bool parse_STACKS_MIN(const char *value)
{
	return parse_size(value, &settings.stacks_min_bytes);
}

static bool parse_STACKS_EVERY(const char *value)
{
	uint64_t bytes;

	if (!parse_size(value, &bytes) ||
	    (bytes && (bytes < STACKS_EVERY_MIN || bytes > STACKS_EVERY_MAX)))
		return false;
	settings.stacks_every_bytes = bytes;
	return true;
}

static bool parse_HEAP_EVERY(const char *value)
{
	uint64_t bytes;

	if (!parse_size(value, &bytes) ||
	    (bytes > 1 && (bytes < STACKS_EVERY_MIN || bytes > STACKS_EVERY_MAX)))
		return false;
	settings.heap_every_bytes = bytes > 1 ? bytes : 0;
	return true;
}

static bool parse_STACKS_MIN_TIME(const char *value)
{
	memset(settings.stacks_min_ns, 0, sizeof(settings.stacks_min_ns));
	while (*value) {
		size_t length = strcspn(value, ",");

		if (length && !family_min_time_take(value, length))
			return false;
		value += length;
		value += *value == ',';
	}
	return true;
}

const char *settings_capture_prefix(void)
{
	if (!settings.capture_labels)
		return "nvtx:";
	return settings.capture_nvtx ? "range:" : "label:";
}

/* KIND:NAME */
static bool capture_take_range(const char *value)
{
	const char *name = strchr(value, ':');
	size_t kind = name ? (size_t)(name - value) : 0, length = name ? strlen(name + 1) : 0;
	bool any = text_is(value, kind, "range"), nvtx = text_is(value, kind, "nvtx");

	if (!(any || nvtx || text_is(value, kind, "label")) || !length ||
	    length >= sizeof(settings.capture_name))
		return false;
	settings.capture = SETTINGS_CAPTURE_RANGE;
	settings.capture_nvtx = any || nvtx;
	settings.capture_labels = !nvtx;
	memcpy(settings.capture_name, name + 1, length + 1);
	return true;
}

static bool parse_CAPTURE(const char *value)
{
	static const char *const elsewhere[] = { "steps", NULL };

	if (parse_word(value, elsewhere) >= 0)
		refusal = "is what INTERCEPT_SCHEDULE is for";
	if (strcmp(value, "all") == 0) {
		settings.capture = SETTINGS_CAPTURE_ALL;
		settings.capture_name[0] = 0;
		return true;
	}
	if (strcmp(value, "cuda-profiler-api") == 0) {
		settings.capture = SETTINGS_CAPTURE_CUDA;
		settings.capture_name[0] = 0;
		return true;
	}
	settings.capture_light = strcmp(value, "trigger,light") == 0;
	if (settings.capture_light || strcmp(value, "trigger") == 0) {
		settings.capture = SETTINGS_CAPTURE_TRIGGER;
		settings.capture_name[0] = 0;
		return true;
	}
	return capture_take_range(value);
}

/* The collector reads what it says: a value with a slash is a file, any other is requests. */
static bool parse_TRIGGER(const char *value)
{
	settings.trigger[0] = 0;
	if (strcmp(value, "none") == 0)
		return true;
	if (strchr(value, '/'))
		return output_path_expand(value, settings.trigger, sizeof(settings.trigger));
	if (strlen(value) >= sizeof(settings.trigger))
		return false;
	strcpy(settings.trigger, value);
	return true;
}

static bool parse_SCHEDULE(const char *value)
{
	settings.schedule = (struct schedule){ 0 };
	settings.schedule_text[0] = 0;
	if (strcmp(value, "none") == 0)
		return true;
	if (strlen(value) >= sizeof(settings.schedule_text) ||
	    !schedule_parse(value, &settings.schedule))
		return false;
	strcpy(settings.schedule_text, value);
	return true;
}

static bool parse_BUDGET(const char *value)
{
	settings.budget = (struct budget){ 0 };
	settings.budget_text[0] = 0;
	if (strlen(value) >= sizeof(settings.budget_text) || !budget_parse(value, &settings.budget))
		return false;
	if (budget_is_on(&settings.budget))
		strcpy(settings.budget_text, value);
	return true;
}

static bool parse_STEP(const char *value)
{
	settings.step_name[0] = 0;
	if (strcmp(value, "auto") == 0)
		return true;
	if (strlen(value) >= sizeof(settings.step_name))
		return false;
	strcpy(settings.step_name, value);
	return true;
}

static bool parse_REQUEST(const char *value)
{
	settings.request[0] = 0;
	if (strcmp(value, "none") == 0)
		return true;
	if (strlen(value) >= sizeof(settings.request) || !request_list_is_one(value))
		return false;
	strcpy(settings.request, value);
	return true;
}

static bool parse_FUNCTIONS(const char *value)
{
	settings.functions[0] = 0;
	if (strcmp(value, "all") == 0)
		return true;
	if (strlen(value) >= sizeof(settings.functions) || !module_list_is_one(value))
		return false;
	strcpy(settings.functions, value);
	return true;
}

static bool parse_OPERATORS(const char *value)
{
	unsigned int one_in;

	if (!parse_number(value, 1000000, &one_in) || !one_in)
		return false;
	settings.operators = one_in;
	return true;
}

static bool parse_least(const char *value, uint64_t *ret_ns)
{
	return parse_time(value, ret_ns) && *ret_ns <= LEAST_NS_MAX;
}

static bool parse_OSRT_MIN(const char *value)
{
	return parse_least(value, &settings.osrt_min_ns);
}

static bool parse_IO_MIN(const char *value)
{
	return parse_least(value, &settings.io_min_ns);
}

static bool parse_SAMPLE(const char *value)
{
	return parse_number(value, 1000, &settings.sample_hz);
}

static bool parse_OWN(const char *value)
{
	if (strlen(value) >= sizeof(settings.own))
		return false;
	strcpy(settings.own, strcmp(value, "none") ? value : "");
	return true;
}

static bool parse_BUFFER(const char *value)
{
	uint64_t bytes;

	if (!parse_size(value, &bytes) || bytes < MIB || bytes > 65536 * MIB)
		return false;
	settings.buffer_bytes = bytes / PAGE * PAGE;
	return true;
}

static bool parse_FULL(const char *value)
{
	static const char *const words[] = { "wait", "drop", NULL };
	int index = parse_word(value, words);

	if (index >= 0)
		settings.full = (enum settings_full)index;
	return index >= 0;
}

static bool parse_GRAPHS(const char *value)
{
	static const char *const words[] = { "nodes", "whole", NULL };
	int index = parse_word(value, words);

	if (index >= 0)
		settings.graphs = (enum settings_graphs)index;
	return index >= 0;
}

static bool parse_GPU_WAITS(const char *value)
{
	static const char *const words[] = { "calls", "records", NULL };
	int index = parse_word(value, words);

	settings.gpu_waits = index == 1;
	return index >= 0;
}

static bool parse_GPU_REST(const char *value)
{
	static const char *const words[] = { "detached", "attached", NULL };
	int index = parse_word(value, words);

	settings.gpu_detaches = index == 0;
	return index >= 0;
}

static bool parse_GPU(const char *value)
{
	static const char *const words[] = { "each", "sums", NULL };
	int index = parse_word(value, words);

	settings.gpu_sums = index == 1;
	return index >= 0;
}

static bool parse_GPU_STEPS(const char *value)
{
	return gpu_steps_parse(value, &settings.gpu_steps);
}

static bool parse_CHILDREN(const char *value)
{
	static const char *const words[] = { "auto", "all", "none", NULL };
	int index = parse_word(value, words);

	if (index >= 0)
		settings.children = (enum settings_children)index;
	return index >= 0;
}

static bool parse_KEEP(const char *value)
{
	return parse_number(value, 1000, &settings.keep);
}

/*
 * After an unknown word everything is left out, because otherwise the file could contain what the
 * user wanted to hide.
 */
static const char redact_all[] =
#define REDACT(name) "," #name
#include "collector/region/redact.def"
	;

static bool parse_REDACT(const char *value)
{
	static const char *const words[] = {
#define REDACT(name) #name,
#include "collector/region/redact.def"
	};
	const char *at = value;

	settings.redact = 0;
	if (strcmp(value, "none") == 0)
		return true;
	while (*at) {
		size_t length = strcspn(at, ","), i = 0;

		while (i < REGION_REDACT_LIMIT && !text_is(at, length, words[i]))
			i++;
		if (i == REGION_REDACT_LIMIT) {
			instead = redact_all + 1;
			return false;
		}
		settings.redact |= 1u << i;
		at += length;
		at += *at == ',';
	}
	return true;
}

static bool parse_MAX_FILE(const char *value)
{
	uint64_t bytes;

	if (!parse_size(value, &bytes) || (bytes && bytes < MAX_FILE_MIN))
		return false;
	settings.max_file_bytes = bytes;
	return true;
}

static bool parse_KEEP_LAST(const char *value)
{
	return keep_last_parse(value, &settings.keep_last);
}

static bool parse_METRICS(const char *value)
{
	settings.metrics[0] = 0;
	settings.metrics_vary = strstr(value, "%p") || strstr(value, "%r");
	return strcmp(value, "none") == 0 ||
	       output_path_expand(value, settings.metrics, sizeof(settings.metrics));
}

static bool parse_VERBOSE(const char *value)
{
	return parse_number(value, 2, &settings.verbose);
}

static bool parse_HELP(const char *value)
{
	unsigned int help;

	if (!parse_number(value, 1, &help))
		return false;
	settings.help = help;
	return true;
}

/* --- all of them --- */

struct setting {
	const char *kind;
	const char *name;
	const char *fallback;
	const char *allowed;
	const char *doc;
	bool (*parse)(const char *value);
};

static const struct setting setting_list[] = {
#define SETTING(kind, NAME, fallback, allowed, doc) \
	{ #kind, #NAME, fallback, allowed, doc, parse_##NAME },
#include "preload/settings/settings.def"
};

#define SETTING_COUNT (sizeof(setting_list) / sizeof(setting_list[0]))

static void setting_read(const struct setting *s)
{
	char name[64] = PREFIX;
	const char *value,
		*preset = settings.preset ? presets_value(settings.preset, s->name) : NULL;

	strncat(name, s->name, sizeof(name) - PREFIX_LENGTH - 1);
	value = environment_find(name, strlen(name));
	(void)s->parse(s->fallback);
	if (preset)
		(void)s->parse(preset);
	refusal = "is not allowed";
	instead = preset ? preset : s->fallback;
	/* an empty value counts as not set */
	if (!value || !*value || s->parse(value))
		return;
	(void)s->parse(s->fallback);
	(void)s->parse(instead);
	if (speaking)
		log_line("%s='%s' %s; allowed is %s; taking '%s'", name, value, refusal, s->allowed,
			 instead);
}

static bool keeps_last(void)
{
	return keep_last_is_on(&settings.keep_last);
}

/*
 * INTERCEPT_TRIGGER says when to record, unless another setting does. With INTERCEPT_KEEP_LAST all
 * is recorded, and a rule keeps the last minutes.
 */
static void choose_trigger(void)
{
	if (!settings.trigger[0])
		return;
	if (settings.capture == SETTINGS_CAPTURE_ALL && !settings.schedule.active && keeps_last())
		return;
	if (settings.capture == SETTINGS_CAPTURE_ALL && !settings.schedule.active)
		settings.capture = SETTINGS_CAPTURE_TRIGGER;
	if (settings.capture == SETTINGS_CAPTURE_TRIGGER && !settings.schedule.active)
		return;
	settings.trigger[0] = 0;
	if (speaking)
		log_line(PREFIX "TRIGGER changes nothing: " PREFIX "%s says when to record",
			 settings.schedule.active ? "SCHEDULE" : "CAPTURE");
}

/* Both settings say when to record, so only one can be used. */
static void choose_capture(void)
{
	choose_trigger();
	if (!settings.schedule.active)
		return;
	if (settings.capture != SETTINGS_CAPTURE_ALL && speaking)
		log_line(PREFIX
			 "SCHEDULE='%s' and " PREFIX
			 "CAPTURE are both set, and only one of them can say when to record; "
			 "taking " PREFIX "SCHEDULE",
			 settings.schedule_text);
	settings.capture = SETTINGS_CAPTURE_STEPS;
	settings.capture_name[0] = 0;
}

/* Steps are drawn only where all of the run is recorded. */
static void choose_budget(void)
{
	if (!budget_is_on(&settings.budget) || settings.capture == SETTINGS_CAPTURE_ALL)
		return;
	if (speaking)
		log_line(PREFIX "BUDGET='%s' is set beside " PREFIX "CAPTURE or " PREFIX
				"SCHEDULE, which say when to record; " PREFIX
				"BUDGET changes nothing",
			 settings.budget_text);
	settings.budget = (struct budget){ 0 };
	settings.budget_text[0] = 0;
}

/* A user who sets which stacks are kept wants stacks. */
static void say_without_stacks(const char *name, bool is_asked, const char *what, bool has)
{
	if (is_asked && !has && speaking)
		log_line("%s changes nothing: %s have no stacks; set " PREFIX
			 "STACKS=native or python",
			 name, what);
}

static void say_stacks(void)
{
	bool allocations_have = family_has_stacks(SETTINGS_FAMILY_alloc), any_has = false;
	bool large_have = settings_large_stacks();

	for (int i = 0; i < SETTINGS_FAMILIES; i++)
		any_has |= family_has_stacks((enum settings_family)i);
	say_without_stacks(PREFIX "STACKS_DEPTH", settings.stacks_depth != STACKS_DEPTH_DEFAULT,
			   "records", any_has || large_have);
	say_without_stacks(PREFIX "STACKS_MIN", settings.stacks_min_bytes, "allocations",
			   allocations_have || large_have);
	say_without_stacks(PREFIX "STACKS_EVERY", settings.stacks_every_bytes, "allocations",
			   allocations_have);
	say_without_stacks(PREFIX "STACKS_MIN_TIME", family_calls_have_min_time(), "calls",
			   family_calls_have_stacks());
}

/* A sample of a sample says nothing more. */
static void choose_sample(void)
{
	if (!settings.stacks_every_bytes || !settings.heap_every_bytes)
		return;
	if (speaking)
		log_line(PREFIX "STACKS_EVERY and " PREFIX
				"HEAP_EVERY are both set, and each allocation of a sample may have "
				"its stack; taking " PREFIX "HEAP_EVERY");
	settings.stacks_every_bytes = 0;
}

/* If nothing is sampled, nothing can be estimated. */
static void choose_stacks(void)
{
	family_stacks_unasked();
	choose_sample();
	say_stacks();
	if (!settings.stacks_every_bytes || !settings.stacks_min_bytes)
		return;
	if (speaking)
		log_line(PREFIX "STACKS_MIN and " PREFIX
				"STACKS_EVERY are both set, and a sample has no least size; "
				"taking " PREFIX "STACKS_EVERY");
	settings.stacks_min_bytes = 0;
}

const char *settings_injection_now(void)
{
	const char *path = environment_find("CUDA_INJECTION64_PATH", 21);
	const char *name = path ? strrchr(path, '/') : NULL;

	if (!path || !*path || strcmp(name ? name + 1 : path, "libintercept.so") == 0)
		return NULL;
	return path;
}

/*
 * Copied, because it is read late, when a program that writes its title over its environment may
 * have destroyed it.
 */
static void choose_injection(void)
{
	const char *path = settings_injection_now();
	size_t length = path ? strnlen(path, SETTINGS_NAME_BYTES - 1) : 0;

	if (length)
		memcpy(settings.injection, path, length);
	settings.injection[length] = 0;
}

void settings_read(void)
{
	settings.preset = NULL;
	for (size_t i = 0; i < SETTING_COUNT; i++)
		setting_read(&setting_list[i]);
	preset_shown = strcmp(settings.preset, PRESET_DEFAULT) ? settings.preset : "";
	choose_capture();
	choose_budget();
	choose_stacks();
	settings.rank = rank_word();
	settings.session = environment_find(PREFIX "SESSION", PREFIX_LENGTH + 7);
	settings.preload = environment_find("LD_PRELOAD", 10);
	choose_injection();
}

/* --- unknown variables --- */

#define NAME_MAX_LENGTH 31u /* longer names resemble none of ours */

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Levenshtein distance, one row at a time. */
static unsigned int name_distance(const char *a, size_t a_length, const char *b)
{
	unsigned int row[NAME_MAX_LENGTH + 1];
	size_t b_length = strlen(b);

	if (a_length > NAME_MAX_LENGTH || b_length > NAME_MAX_LENGTH)
		return NAME_MAX_LENGTH;
	for (size_t j = 0; j <= b_length; j++)
		row[j] = (unsigned int)j;
	for (size_t i = 1; i <= a_length; i++) {
		unsigned int corner = row[0];

		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= b_length; j++) {
			unsigned int above = row[j];

			row[j] = least(least(above, row[j - 1]) + 1,
				       corner + (a[i - 1] != b[j - 1]));
			corner = above;
		}
	}
	return row[b_length];
}

static bool name_is_known(const char *name, size_t length)
{
	if (text_is(name, length, "SESSION"))
		return true;
	for (size_t i = 0; i < SETTING_COUNT; i++)
		if (text_is(name, length, setting_list[i].name))
			return true;
	return false;
}

static void speak_unknown(const char *name, size_t length)
{
	const struct setting *best = &setting_list[0];
	unsigned int best_distance = NAME_MAX_LENGTH;
	char text[64];

	for (size_t i = 0; i < SETTING_COUNT; i++) {
		unsigned int distance = name_distance(name, length, setting_list[i].name);

		if (distance < best_distance) {
			best_distance = distance;
			best = &setting_list[i];
		}
	}
	length = length < sizeof(text) ? length : sizeof(text) - 1;
	memcpy(text, name, length);
	text[length] = 0;
	if (best_distance <= 3)
		log_line("unknown variable '" PREFIX "%s'; the nearest known is " PREFIX "%s", text,
			 best->name);
	else
		log_line("unknown variable '" PREFIX "%s'; INTERCEPT_HELP=1 lists the known ones",
			 text);
}

static void speak_help(void)
{
	log_text("intercept: settings, all of them environment variables:");
	for (size_t i = 0; i < SETTING_COUNT; i++) {
		const struct setting *s = &setting_list[i];

		log_text("  " PREFIX "%s (%s, default %s)", s->name, s->kind, s->fallback);
		log_text("      %s", s->doc);
		log_text("      %s", s->allowed);
	}
}

void settings_speak(bool first)
{
	speaking = true;
	settings_read();
	speaking = false;
	for (char **entry = environ; entry && *entry; entry++) {
		const char *name = *entry + PREFIX_LENGTH;
		size_t length;

		if (strncmp(*entry, PREFIX, PREFIX_LENGTH) != 0)
			continue;
		length = strcspn(name, "=");
		if (!name_is_known(name, length))
			speak_unknown(name, length);
	}
	if (settings.help && first)
		speak_help();
}
