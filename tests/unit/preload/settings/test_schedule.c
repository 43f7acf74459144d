/* SPDX-License-Identifier: MIT */
/* links: preload:settings/schedule.c,base/parse.c */
/*
 * preload/settings/schedule.c: what is allowed, and the action of each step. With the name of a
 * file: its lines are "SETTING ACTIONS", a digit of torch.profiler.ProfilerAction for each step
 * from 0 on (tests/cases/steps_schedule.sh has torch.profiler.schedule() write them).
 */
#include <stdio.h>

#define UNIT_HAS_MAIN
#include "tests/unit/unit.h"
#include "preload/settings/schedule.h"

#define LINE_BYTES 4096

static const char *table_path;

static void compare(const char *setting, const char *actions)
{
	struct schedule schedule;

	assert_true(schedule_parse(setting, &schedule));
	for (uint64_t step = 0; actions[step]; step++) {
		int action = (int)schedule_action(&schedule, step);

		if (action != actions[step] - '0')
			fail_msg("%s, step %llu: %d, not %c", setting, (unsigned long long)step,
				 action, actions[step]);
		assert_int_equal(schedule_records(&schedule, step), action >= SCHEDULE_RECORD);
	}
}

TEST(steps_have_the_actions_of_torch)
{
	compare("wait=1,warmup=1,active=3,repeat=2,skip_first=0", "012230122300000");
	compare("active=1", "33333");
	compare("active=2", "232323");
	compare("active=2,repeat=1", "230000");
	compare("skip_first=3,wait=2,active=1,repeat=2", "00000300300000");
	compare("warmup=2,active=1", "113113113");
	compare("skip_first=2,wait=3,warmup=1,active=1,skip_first_wait=1", "001300013000");
	compare("repeat=2,active=1,skip_first_wait=1,wait=2", "30030000");
}

TEST(numbers_far_out_do_not_wrap)
{
	struct schedule schedule;

	assert_true(schedule_parse("wait=1000000000,warmup=1000000000,active=1000000000,"
				   "repeat=1000000000,skip_first=1000000000",
				   &schedule));
	assert_int_equal(schedule_action(&schedule, 2999999999u), SCHEDULE_WARMUP);
	assert_int_equal(schedule_action(&schedule, 3000000000u), SCHEDULE_RECORD);
	assert_int_equal(schedule_action(&schedule, 3999999999u), SCHEDULE_RECORD_AND_SAVE);
	assert_int_equal(schedule_action(&schedule, 4000000000u), SCHEDULE_NONE);
	assert_int_equal(schedule_action(&schedule, UINT64_MAX), SCHEDULE_NONE);
}

TEST(what_is_wrong_is_refused)
{
	static const char *const wrong[] = {
		"",
		"wait=1",
		"active=0",
		"active",
		"active=",
		"active=-1",
		"active=1.5",
		"active=1 ",
		" active=1",
		"active=1,",
		",active=1",
		"active=1,,wait=1",
		"active=1,active=2",
		"active=1,steps=3",
		"active=1;wait=1",
		"activ=1",
		"active=1000000001",
		"active=99999999999999999999999999999999",
		"1,1,3,2",
		"wait:1,active:3",
	};
	struct schedule schedule = { .wait = 7 };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (schedule_parse(wrong[i], &schedule))
			fail_msg("'%s' was taken", wrong[i]);
	assert_int_equal(schedule.wait, 7);
	assert_int_equal(schedule.active, 0);
}

TEST(steps_have_the_actions_of_the_table)
{
	char line[LINE_BYTES], setting[LINE_BYTES], actions[LINE_BYTES];
	FILE *table;
	unsigned int lines = 0;

	if (!table_path) /* of torch's own schedules: the case steps_schedule has one */
		return;
	table = fopen(table_path, "r");
	assert_non_null(table);
	while (fgets(line, sizeof(line), table)) {
		assert_int_equal(sscanf(line, "%4095s %4095s", setting, actions), 2);
		compare(setting, actions);
		lines++;
	}
	fclose(table);
	printf("%u schedules of the table\n", lines);
	assert_true(lines > 0);
}

int main(int argc, char **argv)
{
	table_path = argc > 1 ? argv[1] : NULL;
	return unit_run();
}
