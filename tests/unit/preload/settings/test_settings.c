/* SPDX-License-Identifier: MIT */
/* links: preload:settings/settings.c,settings/presets.c,settings/family_settings.c,base/log.c,settings/output_path.c,base/parse.c,settings/budget.c,settings/gpu_steps.c,settings/keep_last.c,settings/schedule.c,settings/module_list.c,settings/request_list.c */
/*
 * preload/settings/settings.c and output_path.c: values, defaults, and the one line about a wrong
 * one.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "collector/region/region.h"
#include "preload/base/log.h"
#include "preload/settings/settings.h"

#define MIB (1ull << 20)
#define LIGHT_TRACE "alloc,nvtx,gpu,device,torch,io,requests,imports,gc"

static char *environment[8];

/* The environment is `first` and `second` (NULL: none) and nothing else. */
static void read_with(const char *first, const char *second)
{
	environment[0] = (char *)(uintptr_t)first;
	environment[1] = (char *)(uintptr_t)second;
	environment[2] = NULL;
	environ = environment;
	settings_read();
}

/*
 * What settings_speak() says with that environment, in a process of its own: each says a few lines
 * only.
 */
static const char *spoken_with(const char *first, const char *second)
{
	static char text[16384];
	int pipes[2];
	ssize_t n;
	pid_t child;

	assert_int_equal(pipe(pipes), 0);
	read_with(first, second);
	child = fork();
	if (!child) {
		dup2(pipes[1], STDERR_FILENO);
		log_init();
		settings_speak(true);
		_exit(0);
	}
	close(pipes[1]);
	assert_int_equal(waitpid(child, NULL, 0), child);
	n = read(pipes[0], text, sizeof(text) - 1);
	close(pipes[0]);
	text[n > 0 ? n : 0] = 0;
	return text;
}

TEST(defaults_without_environment)
{
	char here[4096];

	read_with(NULL, NULL);
	assert_non_null(getcwd(here, sizeof(here)));
	assert_memory_equal(settings.output, here, strlen(here));
	assert_string_equal(settings.output + strlen(here), "/run.evt");
	assert_string_equal(settings.trace_text,
			    "alloc,nvtx,cuda,gpu,device,torch,tensors,requests,imports,gc");
	assert_int_equal(settings.capture, SETTINGS_CAPTURE_ALL);
	assert_int_equal(settings.buffer_bytes, 64 * MIB);
	assert_int_equal(settings.full, SETTINGS_FULL_WAIT);
	assert_int_equal(settings.children, SETTINGS_CHILDREN_AUTO);
	assert_int_equal(settings.keep, 3);
	assert_int_equal(settings.max_file_bytes, 0);
	assert_null(settings.session);
}

/* Whoever hides something and misspells it has nothing of it in the file. */
TEST(what_is_left_out)
{
	read_with(NULL, NULL);
	assert_int_equal(settings.redact, 0);
	read_with("INTERCEPT_REDACT=none", NULL);
	assert_int_equal(settings.redact, 0);
	read_with("INTERCEPT_REDACT=host", NULL);
	assert_int_equal(settings.redact, 1u << REGION_REDACT_host);
	read_with("INTERCEPT_REDACT=paths,args", NULL);
	assert_int_equal(settings.redact, 1u << REGION_REDACT_args | 1u << REGION_REDACT_paths);
	read_with("INTERCEPT_REDACT=arg", NULL);
	assert_int_equal(settings.redact, (1u << REGION_REDACT_LIMIT) - 1);
	read_with("INTERCEPT_REDACT=args host", NULL);
	assert_int_equal(settings.redact, (1u << REGION_REDACT_LIMIT) - 1);
	assert_string_equal(
		spoken_with("INTERCEPT_REDACT=host,arg", NULL),
		"intercept: INTERCEPT_REDACT='host,arg' is not allowed; allowed is none, or args, "
		"paths and host with commas between; any other value means all three; taking "
		"'args,paths,host'\n");
}

TEST(families_are_added_and_removed)
{
	static const struct {
		const char *value, *families;
	} rows[] = {
		{ "INTERCEPT_TRACE=-alloc",
		  "nvtx,cuda,gpu,device,torch,tensors,requests,imports,gc" },
		{ "INTERCEPT_TRACE=alloc", "alloc" },
		{ "INTERCEPT_TRACE=nvtx,alloc", "alloc,nvtx" },
		{ "INTERCEPT_TRACE=+nvtx,-alloc",
		  "nvtx,cuda,gpu,device,torch,tensors,requests,imports,gc" },
		{ "INTERCEPT_TRACE=-alloc,-nvtx,-cuda,-gpu,-torch,-tensors",
		  "device,requests,imports,gc" },
		{ "INTERCEPT_TRACE=-cuda,-gpu,-torch,-tensors",
		  "alloc,nvtx,device,requests,imports,gc" },
		{ "INTERCEPT_TRACE=+shapes",
		  "alloc,nvtx,cuda,gpu,device,torch,tensors,shapes,requests,imports,gc" },
		{ "INTERCEPT_TRACE=shapes", "torch,shapes" },
		{ "INTERCEPT_TRACE=modules", "torch,modules" },
		{ "INTERCEPT_TRACE=alloc,gpu", "alloc,gpu" },
		{ "INTERCEPT_TRACE=alloc,pymem", "alloc,pymem" },
		{ "INTERCEPT_TRACE=alloc,native-samples", "alloc,native-samples" },
		{ "INTERCEPT_TRACE=allocs",
		  "alloc,nvtx,cuda,gpu,device,torch,tensors,requests,imports,gc" },
		{ "INTERCEPT_TRACE=",
		  "alloc,nvtx,cuda,gpu,device,torch,tensors,requests,imports,gc" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		read_with(rows[i].value, NULL);
		assert_string_equal(settings.trace_text, rows[i].families);
	}
}

TEST(sizes_have_units_and_limits)
{
	static const struct {
		const char *value;
		uint64_t bytes;
	} rows[] = {
		{ "INTERCEPT_BUFFER=1M", MIB },
		{ "INTERCEPT_BUFFER=64G", 65536 * MIB },
		{ "INTERCEPT_BUFFER=2MiB", 2 * MIB },
		{ "INTERCEPT_BUFFER=4mB", 4 * MIB },
		{ "INTERCEPT_BUFFER=1052672", MIB + 4096 },
		{ "INTERCEPT_BUFFER=1052673", MIB + 4096 },
		{ "INTERCEPT_BUFFER=1K", 64 * MIB },
		{ "INTERCEPT_BUFFER=65G", 64 * MIB },
		{ "INTERCEPT_BUFFER=99999999999999999999G", 64 * MIB },
		{ "INTERCEPT_BUFFER=18446744073709551615T", 64 * MIB },
		{ "INTERCEPT_BUFFER=-1", 64 * MIB },
		{ "INTERCEPT_BUFFER=2 M", 64 * MIB },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		read_with(rows[i].value, NULL);
		assert_int_equal(settings.buffer_bytes, rows[i].bytes);
	}
}

TEST(output_patterns_are_expanded)
{
	char wanted[64];

	snprintf(wanted, sizeof(wanted), "/x/%d-7%%.evt", (int)getpid());
	read_with("INTERCEPT_OUTPUT=/x/%p-%r%%.evt", "SLURM_PROCID=7");
	assert_string_equal(settings.output, wanted);
	read_with("INTERCEPT_OUTPUT=/x/%e", NULL);
	assert_string_equal(settings.output, "/x/test_settings");
	read_with("INTERCEPT_OUTPUT=/x/%r", "RANK=../etc");
	assert_string_equal(settings.output, "/x/norank");
	assert_non_null(
		strstr(spoken_with("INTERCEPT_OUTPUT=/x/%q", NULL), "INTERCEPT_OUTPUT='/x/%q'"));
	assert_non_null(strstr(spoken_with("INTERCEPT_OUTPUT=/x/%", NULL), "INTERCEPT_OUTPUT"));
	assert_non_null(strstr(spoken_with("INTERCEPT_OUTPUT=/x/", NULL), "INTERCEPT_OUTPUT"));
}

TEST(capture_names_a_range)
{
	read_with("INTERCEPT_CAPTURE=nvtx:step 3@train", NULL);
	assert_int_equal(settings.capture, SETTINGS_CAPTURE_RANGE);
	assert_true(settings.capture_nvtx && !settings.capture_labels);
	assert_string_equal(settings.capture_name, "step 3@train");
	assert_string_equal(settings_capture_prefix(), "nvtx:");
	read_with("INTERCEPT_CAPTURE=label:nvtx:a", NULL);
	assert_true(!settings.capture_nvtx && settings.capture_labels);
	assert_string_equal(settings.capture_name, "nvtx:a");
	assert_string_equal(settings_capture_prefix(), "label:");
	read_with("INTERCEPT_CAPTURE=range:a", NULL);
	assert_true(settings.capture_nvtx && settings.capture_labels);
	assert_string_equal(settings_capture_prefix(), "range:");
	read_with("INTERCEPT_CAPTURE=ranges:a", NULL);
	assert_int_equal(settings.capture, SETTINGS_CAPTURE_ALL);
	read_with("INTERCEPT_CAPTURE=label:", NULL);
	assert_int_equal(settings.capture, SETTINGS_CAPTURE_ALL);
	read_with("INTERCEPT_CAPTURE=:a", NULL);
	assert_int_equal(settings.capture, SETTINGS_CAPTURE_ALL);
	read_with("INTERCEPT_CAPTURE=nvtx:", NULL);
	assert_int_equal(settings.capture, SETTINGS_CAPTURE_ALL);
	assert_non_null(strstr(spoken_with("INTERCEPT_CAPTURE=steps", NULL), "INTERCEPT_SCHEDULE"));
}

TEST(a_schedule_limits_what_is_recorded)
{
	read_with(NULL, NULL);
	assert_int_equal(settings.schedule.active, 0);
	assert_string_equal(settings.step_name, "");
	read_with("INTERCEPT_SCHEDULE=wait=1,active=3", "INTERCEPT_STEP=iteration*");
	assert_int_equal(settings.capture, SETTINGS_CAPTURE_STEPS);
	assert_int_equal(settings.schedule.wait, 1);
	assert_int_equal(settings.schedule.active, 3);
	assert_string_equal(settings.schedule_text, "wait=1,active=3");
	assert_string_equal(settings.step_name, "iteration*");
	assert_string_equal(spoken_with("INTERCEPT_SCHEDULE=active=3", NULL), "");
	assert_non_null(
		strstr(spoken_with("INTERCEPT_SCHEDULE=active=0", NULL),
		       "INTERCEPT_SCHEDULE='active=0' is not allowed; allowed is none, or wait=N"));
	assert_int_equal(settings.capture, SETTINGS_CAPTURE_ALL);
}

TEST(one_setting_says_when_to_record)
{
	assert_non_null(
		strstr(spoken_with("INTERCEPT_SCHEDULE=active=3", "INTERCEPT_CAPTURE=nvtx:a"),
		       "both set"));
	assert_int_equal(settings.capture, SETTINGS_CAPTURE_STEPS);
	read_with("INTERCEPT_SCHEDULE=none", "INTERCEPT_CAPTURE=nvtx:a");
	assert_int_equal(settings.capture, SETTINGS_CAPTURE_RANGE);
}

TEST(a_sample_of_stacks)
{
	read_with("INTERCEPT_STACKS=native", "INTERCEPT_STACKS_EVERY=512K");
	assert_int_equal(settings.stacks_every_bytes, 512 << 10);
	assert_int_equal(settings_sampled_stacks(), 512 << 10);
	read_with("INTERCEPT_STACKS=native,alloc:caller", "INTERCEPT_STACKS_EVERY=512K");
	assert_int_equal(settings_sampled_stacks(), 0);
	read_with("INTERCEPT_STACKS_EVERY=1K", NULL);
	assert_int_equal(settings_sampled_stacks(), 0);
	assert_non_null(
		strstr(spoken_with("INTERCEPT_STACKS_EVERY=1K", NULL),
		       "INTERCEPT_STACKS_EVERY changes nothing: allocations have no stacks"));
	assert_non_null(strstr(
		spoken_with("INTERCEPT_STACKS_MIN_TIME=1us", "INTERCEPT_STACKS=alloc:native"),
		"INTERCEPT_STACKS_MIN_TIME changes nothing: calls have no stacks"));
	assert_string_equal(spoken_with("INTERCEPT_STACKS=native", "INTERCEPT_STACKS_EVERY=1K"),
			    "");
	assert_non_null(strstr(spoken_with("INTERCEPT_STACKS_EVERY=1023", NULL),
			       "INTERCEPT_STACKS_EVERY='1023' is not allowed"));
	assert_int_equal(settings.stacks_every_bytes, 0);
	read_with("INTERCEPT_STACKS_EVERY=2G", NULL);
	assert_int_equal(settings.stacks_every_bytes, 0);
	assert_non_null(strstr(spoken_with("INTERCEPT_STACKS_EVERY=1M", "INTERCEPT_STACKS_MIN=4K"),
			       "taking INTERCEPT_STACKS_EVERY"));
	assert_int_equal(settings.stacks_min_bytes, 0);
}

TEST(stacks_of_long_calls)
{
	static const char *const wrong[] = {
		"1",    "us",          "1h", "alloc:1us", "cuda:", "1001s", "99999999999999999999s",
		"1us ", "cuda:1us:2us"
	};
	char setting[64];

	read_with("INTERCEPT_STACKS_MIN_TIME=1us", NULL);
	assert_int_equal(settings.stacks_min_ns[SETTINGS_FAMILY_cuda], 1000);
	assert_int_equal(settings.stacks_min_ns[SETTINGS_FAMILY_io], 1000);
	assert_int_equal(settings.stacks_min_ns[SETTINGS_FAMILY_alloc], 0);
	read_with("INTERCEPT_STACKS_MIN_TIME=500ns,io:2ms", NULL);
	assert_int_equal(settings.stacks_min_ns[SETTINGS_FAMILY_cuda], 500);
	assert_int_equal(settings.stacks_min_ns[SETTINGS_FAMILY_io], 2000000);
	read_with("INTERCEPT_STACKS_MIN_TIME=cuda:1000s", NULL);
	assert_int_equal(settings.stacks_min_ns[SETTINGS_FAMILY_cuda], 1000000000000);
	assert_int_equal(settings.stacks_min_ns[SETTINGS_FAMILY_io], 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(setting, sizeof(setting), "INTERCEPT_STACKS_MIN_TIME=%s", wrong[i]);
		read_with(setting, NULL);
		assert_int_equal(settings.stacks_min_ns[SETTINGS_FAMILY_cuda], 0);
		assert_int_equal(settings.stacks_min_ns[SETTINGS_FAMILY_io], 0);
	}
}

/* FAMILY_WORD of families.def; a family without such a line says whether it is recorded. */
TEST(words_of_families)
{
	uint64_t word[EVT_FAMILY_LIMIT];

	read_with("INTERCEPT_TRACE=native-samples,io", "INTERCEPT_SAMPLE=70");
	settings_family_words(word);
	assert_int_equal(word[EVT_FAMILY_native_samples], 70);
	assert_int_equal(word[EVT_FAMILY_io], 1);
	assert_int_equal(word[EVT_FAMILY_nvtx], 0);
	assert_int_equal(word[EVT_FAMILY_system], 0);
	assert_int_equal(word[EVT_FAMILY_alloc], 0);
	assert_false(settings_want_python());
	read_with("INTERCEPT_TRACE=alloc,gc", "INTERCEPT_SAMPLE=70");
	settings_family_words(word);
	assert_int_equal(word[EVT_FAMILY_native_samples], 0);
	assert_true(settings_want_python());
	read_with("INTERCEPT_STACKS=native", "INTERCEPT_STACKS_EVERY=512K");
	settings_family_words(word);
	assert_int_equal(word[EVT_FAMILY_alloc], 512 << 10);
}

/*
 * By the list: a mode for one family is taken for exactly those that have stacks, and a time for
 * those that have calls.
 */
TEST(families_with_stacks_and_calls)
{
	bool stacks[EVT_FAMILY_LIMIT] = {
#define FAMILY_STACKS(name, what) [EVT_FAMILY_##name] = true,
#include "collector/format/families.def"
	};
	bool calls[EVT_FAMILY_LIMIT] = {
#define FAMILY_CALLS(name) [EVT_FAMILY_##name] = true,
#include "collector/format/families.def"
	};

#define FAMILY_PAIR(one, two, by_default, needs, doc, none, why)
#define FAMILY(name, by_default, needs, doc, none, why)                                          \
	read_with("INTERCEPT_STACKS=" #name ":both", "INTERCEPT_STACKS_MIN_TIME=" #name ":1us"); \
	assert_int_equal(settings.stacks[SETTINGS_FAMILY_##name] == SETTINGS_STACKS_BOTH,        \
			 stacks[EVT_FAMILY_##name]);                                             \
	assert_int_equal(settings.stacks_min_ns[SETTINGS_FAMILY_##name] == 1000,                 \
			 calls[EVT_FAMILY_##name]);
#include "collector/format/families.def"
}

TEST(a_wrong_value_is_one_line)
{
	assert_string_equal(spoken_with("INTERCEPT_FULL=maybe", NULL),
			    "intercept: INTERCEPT_FULL='maybe' is not allowed; allowed is wait or "
			    "drop; taking 'wait'\n");
	assert_string_equal(spoken_with("INTERCEPT_KEEP=1001", NULL),
			    "intercept: INTERCEPT_KEEP='1001' is not allowed; allowed is a number "
			    "from 0 to 1000; taking '3'\n");
	assert_string_equal(spoken_with("INTERCEPT_KEEP=1000", NULL), "");
}

TEST(an_unknown_variable_gets_the_nearest_name)
{
	assert_string_equal(spoken_with("INTERCEPT_OUTPT=x", "INTERCEPT_SESSION=y"),
			    "intercept: unknown variable 'INTERCEPT_OUTPT'; the nearest known is "
			    "INTERCEPT_OUTPUT\n");
	assert_string_equal(spoken_with("INTERCEPT_SOMETHING_ELSE=x", NULL),
			    "intercept: unknown variable 'INTERCEPT_SOMETHING_ELSE'; "
			    "INTERCEPT_HELP=1 lists the known ones\n");
}

/* What the user sets besides wins, and a list of + and - changes the preset's. */
TEST(presets_are_values_of_other_settings)
{
	read_with(NULL, NULL);
	assert_string_equal(settings_preset(), "");
	read_with("INTERCEPT_PRESET=default", NULL);
	assert_string_equal(settings_preset(), "");
	assert_string_equal(settings.trace_text,
			    "alloc,nvtx,cuda,gpu,device,torch,tensors,requests,imports,gc");
	read_with("INTERCEPT_PRESET=full", NULL);
	assert_string_equal(settings_preset(), "full");
	assert_string_equal(settings.trace_text,
			    "alloc,nvtx,cuda,gpu,device,torch,tensors,shapes,modules,"
			    "io,requests,imports,gc,native-samples");
	assert_int_equal(settings.stacks[SETTINGS_FAMILY_io], SETTINGS_STACKS_BOTH);
	assert_int_equal(settings.operators, 1);
	read_with("INTERCEPT_PRESET=full", "INTERCEPT_STACKS=caller");
	assert_int_equal(settings.stacks[SETTINGS_FAMILY_io], SETTINGS_STACKS_CALLER);
	read_with("INTERCEPT_PRESET=full", "INTERCEPT_TRACE=-io,+functions");
	assert_string_equal(settings.trace_text,
			    "alloc,nvtx,cuda,gpu,device,torch,tensors,shapes,modules,"
			    "requests,imports,gc,functions,native-samples");
	read_with("INTERCEPT_TRACE=alloc", "INTERCEPT_PRESET=full");
	assert_string_equal(settings.trace_text, "alloc");
	read_with("INTERCEPT_PRESET=light", NULL);
	assert_string_equal(settings.trace_text, LIGHT_TRACE);
	assert_int_equal(settings.operators, 100);
	read_with("INTERCEPT_PRESET=light", "INTERCEPT_OPERATORS=7");
	assert_int_equal(settings.operators, 7);
}

/* A wrong value of a setting is replaced by the preset's, a wrong preset by none. */
TEST(wrong_values_beside_a_preset)
{
	assert_string_equal(spoken_with("INTERCEPT_PRESET=light", "INTERCEPT_OPERATORS=0"),
			    "intercept: INTERCEPT_OPERATORS='0' is not allowed; allowed is a "
			    "number from 1 to 1000000; taking '100'\n");
	read_with("INTERCEPT_PRESET=light", "INTERCEPT_OPERATORS=0");
	assert_int_equal(settings.operators, 100);
	read_with("INTERCEPT_PRESET=light", "INTERCEPT_TRACE=+nothing");
	assert_string_equal(settings.trace_text, LIGHT_TRACE);
	assert_non_null(strstr(spoken_with("INTERCEPT_PRESET=heavy", NULL),
			       "INTERCEPT_PRESET='heavy' is not allowed; allowed is light: "));
	read_with("INTERCEPT_PRESET=heavy", NULL);
	assert_string_equal(settings_preset(), "");
	assert_int_equal(settings.operators, 1);
}

TEST(help_names_every_setting)
{
	const char *text;

	text = spoken_with("INTERCEPT_HELP=1", NULL);
#define SETTING(kind, NAME, fallback, allowed, doc) \
	assert_non_null(strstr(text, "INTERCEPT_" #NAME " ("));
#include "preload/settings/settings.def"
}

TEST(stacks_by_family)
{
	read_with(NULL, NULL);
	assert_int_equal(settings.stacks[SETTINGS_FAMILY_alloc], SETTINGS_STACKS_LARGE);
	assert_int_equal(settings.stacks_depth, 1024);
	assert_int_equal(settings_large_stacks(),
			 1u << EVT_FAMILY_alloc | 1u << EVT_FAMILY_tensors);
	read_with("INTERCEPT_TRACE=-tensors", NULL);
	assert_int_equal(settings_large_stacks(), 1u << EVT_FAMILY_alloc);
	read_with("INTERCEPT_STACKS=caller", NULL);
	assert_int_equal(settings_large_stacks(), 0);
	read_with("INTERCEPT_STACKS=native,cuda:off", "INTERCEPT_STACKS_DEPTH=4096");
	assert_int_equal(settings.stacks[SETTINGS_FAMILY_alloc], SETTINGS_STACKS_NATIVE);
	assert_int_equal(settings.stacks[SETTINGS_FAMILY_cuda], SETTINGS_STACKS_OFF);
	assert_int_equal(settings.stacks_depth, 4096);
	read_with("INTERCEPT_STACKS=native", "INTERCEPT_STACKS_MIN=64K");
	assert_int_equal(settings.stacks_min_bytes, 65536);
	assert_non_null(strstr(spoken_with("INTERCEPT_STACKS_MIN=-1", NULL),
			       "INTERCEPT_STACKS_MIN='-1' is not allowed"));
	assert_int_equal(settings.stacks_min_bytes, 0);
	read_with("INTERCEPT_STACKS=alloc:native", NULL);
	assert_int_equal(settings.stacks[SETTINGS_FAMILY_alloc], SETTINGS_STACKS_NATIVE);
	assert_int_equal(settings.stacks[SETTINGS_FAMILY_cuda], SETTINGS_STACKS_LARGE);
	/* wrong ones are the default, and are spoken of */
	assert_non_null(
		strstr(spoken_with("INTERCEPT_STACKS=alloc:all", "INTERCEPT_STACKS_DEPTH=0"),
		       "INTERCEPT_STACKS='alloc:all' is not allowed"));
	assert_int_equal(settings.stacks[SETTINGS_FAMILY_alloc], SETTINGS_STACKS_LARGE);
	assert_int_equal(settings.stacks_depth, 1024);
	assert_non_null(
		strstr(spoken_with("INTERCEPT_STACKS=nobody:native", NULL), "nobody:native"));
	assert_non_null(strstr(spoken_with("INTERCEPT_STACKS=python,native", NULL),
			       "INTERCEPT_STACKS='python,native' has two modes for all families, "
			       "and python with native is both"));
	assert_int_equal(settings.stacks[SETTINGS_FAMILY_alloc], SETTINGS_STACKS_LARGE);
	/* a family that has no stacks is no less wrong */
	assert_non_null(strstr(spoken_with("INTERCEPT_STACKS=alloc:native,nvtx:native", NULL),
			       "nvtx:native' is not allowed"));
	assert_int_equal(settings.stacks[SETTINGS_FAMILY_alloc], SETTINGS_STACKS_LARGE);
	assert_string_equal(
		spoken_with("INTERCEPT_STACKS=alloc:native,cuda:off,io:both,torch:python,"
			    "tensors:native,pymem:python",
			    NULL),
		"");
	assert_int_equal(settings.stacks[SETTINGS_FAMILY_io], SETTINGS_STACKS_BOTH);
	assert_string_equal(spoken_with("INTERCEPT_STACKS_DEPTH=10", "INTERCEPT_STACKS_MIN=1M"),
			    "");
	assert_non_null(strstr(spoken_with("INTERCEPT_STACKS_DEPTH=10", "INTERCEPT_STACKS=caller"),
			       "INTERCEPT_STACKS_DEPTH changes nothing"));
	assert_string_equal(spoken_with("INTERCEPT_STACKS=io:native", "INTERCEPT_STACKS_DEPTH=10"),
			    "");
}

/* A program writes its title over its environment later; what was there is still known. */
TEST(the_other_injection_is_kept)
{
	static const struct {
		const char *entry, *other;
	} cases[] = {
		{ "CUDA_INJECTION64_PATH=/opt/nsys/libother.so", "/opt/nsys/libother.so" },
		{ "CUDA_INJECTION64_PATH=none", "none" },
		{ "CUDA_INJECTION64_PATH=/usr/lib/intercept/libintercept.so", "" },
		{ "CUDA_INJECTION64_PATH=libintercept.so", "" },
		{ "CUDA_INJECTION64_PATH=", "" },
		{ "OTHER=1", "" },
	};
	char entry[1024];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		strcpy(entry, cases[i].entry);
		read_with(entry, NULL);
		memset(entry, 'x', strlen(entry));
		assert_string_equal(settings.injection, cases[i].other);
	}
	memset(entry, 'y', sizeof(entry) - 1);
	memcpy(entry, "CUDA_INJECTION64_PATH=", 22);
	entry[sizeof(entry) - 1] = 0;
	read_with(entry, NULL);
	assert_int_equal(strlen(settings.injection), SETTINGS_NAME_BYTES - 1);
}
