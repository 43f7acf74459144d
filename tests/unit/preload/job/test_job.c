/* SPDX-License-Identifier: MIT */
/* links: preload:job/job.c,record/strings.c */
/*
 * preload/job/job.c: facts of the environment and of PyTorch's constructors, each once, without
 * what is to be left out. What records them is this test's; PyTorch has no constructor here.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "tests/unit/plain_clock.h"
#include "collector/region/region.h"
#include "preload/hook/torch_origin.h"
#include "preload/record/entry.h"
#include "preload/record/event.h"
#include "preload/record/family.h"
#include "preload/record/names.h"
#include "preload/settings/settings.h"

#define FACTS_MAX 32u

extern const struct family family_job;
#define DISTRIBUTED(name, parameters, arguments, record) void name parameters;
#include "preload/job/hooks.def"

/* --- what the linked files want from the others --- */

struct settings settings;
union recorder_page recorder_page;

static bool is_open;
static char told[FACTS_MAX][2][256];
static unsigned int count;
static uint64_t rank_taken;

bool recorder_make_room(struct recorder_lane *lane, unsigned int words)
{
	(void)lane;
	(void)words;
	return false;
}

bool recorder_is_open(void)
{
	return is_open;
}

bool recorder_record(enum evt_family family, uint32_t type, const struct recorder_field *field,
		     unsigned int fields)
{
	(void)family;
	assert_int_equal(type, EVT_fact);
	assert_int_equal(fields, 3);
	assert_true(count < FACTS_MAX);
	for (unsigned int i = 0; i < 2; i++)
		snprintf(told[count][i], sizeof(told[count][i]), "%.*s", (int)field[i].text->length,
			 field[i].text->bytes);
	count++;
	return true;
}

const struct name *name_make(const struct string *text)
{
	struct name *name = calloc(1, sizeof(*name) + text->length +
					      1); /* as long as the program lives */

	assert_non_null(name);
	name->hash = text->hash;
	name->length = text->length;
	memcpy(name->text, text->bytes, text->length);
	return name;
}

void entry_take_rank(uint64_t own_rank)
{
	rank_taken = own_rank;
}

void *torch_origin_search(struct torch_origin *origin, const void *caller)
{
	(void)origin;
	(void)caller;
	return NULL;
}

/* --- */

static const char *fact(const char *key)
{
	const char *value = NULL;

	for (unsigned int i = 0; i < count; i++) {
		if (strcmp(told[i][0], key) != 0)
			continue;
		assert_null(value); /* each once */
		value = told[i][1];
	}
	return value;
}

/* std::string of the new ABI: what hooks read of it. */
struct cxx11 {
	const char *bytes;
	size_t length;
};

static void store(const char *host, uint16_t port)
{
	const struct cxx11 string = { host, strlen(host) };

	_ZN4c10d8TCPStoreC1ENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERKNS_15TCPStoreOptionsE(
		NULL, &string, &port);
}

static void store_file(const char *path)
{
	const struct cxx11 string = { path, strlen(path) };

	_ZN4c10d9FileStoreC1ENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEi(NULL, &string,
										   2);
}

/* The first value of a fact is kept for the life of a process: each test is one. */
static void in_a_process(void (*test)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		clearenv();
		test();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void check(bool holds)
{
	if (!holds)
		_exit(1);
}

static bool is_fact(const char *key, const char *value)
{
	const char *got = fact(key);

	return value ? got && !strcmp(got, value) : !got;
}

static void environment_waits(void)
{
	setenv("MASTER_ADDR", "node1", 1);
	setenv("MASTER_PORT", "29500", 1);
	setenv("MASTER_PORTS", "1", 1);
	family_job.start();
	check(count == 0);
	is_open = true;
	family_job.opened();
	family_job.opened();
	check(is_fact("MASTER_ADDR", "node1") && is_fact("MASTER_PORT", "29500") && count == 2);
}

TEST(the_environment_is_told_when_recording_begins)
{
	in_a_process(environment_waits);
}

static void host_is_left_out(void)
{
	settings.redact = 1u << REGION_REDACT_host | 1u << REGION_REDACT_paths |
			  1u << REGION_REDACT_args;
	setenv("MASTER_ADDR", "secret", 1);
	setenv("TORCHELASTIC_RUN_ID", "secret", 1);
	setenv("SLURM_JOB_ID", "17", 1);
	is_open = true;
	family_job.start();
	store("secret", 29500);
	store_file("/secret/store");
	check(is_fact("MASTER_ADDR", NULL) && is_fact("TORCHELASTIC_RUN_ID", NULL));
	check(is_fact("SLURM_JOB_ID", "17") && is_fact("store", ":29500") &&
	      is_fact("store_file", "store"));
}

TEST(what_is_redacted_is_not_told)
{
	in_a_process(host_is_left_out);
}

static void the_first_store_counts(void)
{
	char longest[400];

	is_open = true;
	memset(longest, 'h', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	store(longest, 1); /* no room for the port behind it */
	store("zero", 0);
	store("first", 65535);
	store("second", 2);
	store_file("/shared/store");
	check(is_fact("store", "first:65535") && is_fact("store_file", "/shared/store"));
}

TEST(stores_of_pytorch)
{
	in_a_process(the_first_store_counts);
}

static void the_first_group_counts(void)
{
	_ZN4c10d7BackendC2Eii(NULL, -1, 4);
	_ZN4c10d7BackendC2Eii(NULL, 4, 4);
	check(rank_taken == 0);
	_ZN4c10d7BackendC2Eii(NULL, 3, 4);
	check(region_rank_number(rank_taken) == 3 && region_rank_world(rank_taken) == 4 &&
	      region_rank_variable(rank_taken) == REGION_RANK_OF_GROUP);
	_ZN4c10d12ProcessGroupC2Eii(NULL, 0, 2);
	check(region_rank_number(rank_taken) == 3);
}

TEST(ranks_of_groups)
{
	in_a_process(the_first_group_counts);
}
