/* SPDX-License-Identifier: MIT */
/* links: format */
/*
 * collector/control/trigger.h: what a request may look like, what it means, and what is said of
 * any other.
 */

#include "tests/unit/unit.h"

#include "collector/control/trigger.h"

#define SECOND 1000000000ull

static struct trigger parsed(const char *text)
{
	char why[TRIGGER_WHY_BYTES];
	struct trigger trigger;

	if (trigger_parse(text, strlen(text), &trigger, why))
		fail_msg("'%s': %s", text, why);
	return trigger;
}

static void refused(const char *text, const char *expected)
{
	char why[TRIGGER_WHY_BYTES];
	struct trigger trigger;

	if (!trigger_parse(text, strlen(text), &trigger, why))
		fail_msg("'%s' was taken", text);
	if (!strstr(why, expected))
		fail_msg("'%s': '%s' has no '%s'", text, why, expected);
}

TEST(at_once)
{
	assert_int_equal(parsed("now").for_ns, 10 * SECOND);
	assert_int_equal(parsed("now for 5s").for_ns, 5 * SECOND);
	assert_int_equal(parsed("now for 1.5m").for_ns, 90 * SECOND);
	assert_int_equal(parsed("now for 250ms").for_ns, SECOND / 4);
	assert_int_equal(parsed("now steps 3").steps, 3);
	assert_int_equal(parsed("now steps 3").for_ns, 0);
	refused("", "'the end' is not now, steps or when");
	refused("later", "'later' is not now");
	refused("now for", "'the end' is not a time");
	refused("now for 5", "'5' is not a time");
	refused("now for 0s", "'0s' is not a time");
	refused("now for 25h", "'25h' is not a time");
	refused("now for -1s", "'-1s' is not a time");
	refused("now for 1e3s", "'1e3s' is not a time");
	refused("now steps 0", "'0' is not a number of steps");
	refused("now for 5s for 6s", "'for' is not 'ranks'");
	refused("now for 5s steps 3", "'steps' is not 'ranks'");
	refused("now and then", "'and' is not for, steps or ranks");
	refused("now \033[2J", "'?[2J' is not");
}

TEST(steps)
{
	struct trigger trigger = parsed("steps 5000..5003 ranks 0,3, 8..15");

	assert_int_equal(trigger.kind, TRIGGER_STEPS);
	assert_int_equal(trigger.from, 5000);
	assert_int_equal(trigger.steps, 4);
	assert_true(trigger_is_for_rank(&trigger, true, 3));
	assert_true(trigger_is_for_rank(&trigger, true, 8));
	assert_true(trigger_is_for_rank(&trigger, true, 15));
	assert_false(trigger_is_for_rank(&trigger, true, 4));
	assert_false(trigger_is_for_rank(&trigger, false, 0));
	assert_int_equal(parsed("steps 7").steps, 1);
	assert_true(trigger_is_for_rank(&(struct trigger){ 0 }, false, 0));
	refused("steps 9..5", "'9..5' is not A..B");
	refused("steps 5..", "'5..' is not A..B");
	refused("steps 1..1000001", "A..B with at most a million");
	refused("steps 1..2 for 5s", "'for' is not 'ranks'");
	refused("steps 99999999999999999999", "is not A..B");
	refused("now ranks", "'the end' is not a rank");
	refused("now ranks 1,", "'the end' is not a rank");
	refused("now ranks 4294967296", "is not a rank");
	refused("now ranks 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", "at most 16 parts");
}

TEST(rules)
{
	assert_int_equal(parsed("when step > 3 * p50").kind, TRIGGER_SLOW_STEP);
	assert_true(parsed("when step>2.5*p50 for 20s").factor == 2.5);
	assert_int_equal(parsed("when step>2.5*p50 for 20s").for_ns, 20 * SECOND);
	assert_int_equal(parsed("when step > 3 * p50 steps 5").steps, 5);
	assert_int_equal(parsed("when rss > 0.9 * limit").kind, TRIGGER_RSS_SHARE);
	assert_int_equal(parsed("when rss > 20G").bytes, 20ull << 30);
	assert_int_equal(parsed("when rss > 1.5K").bytes, 1536);
	assert_int_equal(parsed("when no step for 60s").idle_ns, 60 * SECOND);
	assert_int_equal(parsed("when no step for 60s for 5s").for_ns, 5 * SECOND);
	assert_true(trigger_is_rule(&(struct trigger){ .kind = TRIGGER_NO_STEP }));
	assert_false(trigger_is_rule(&(struct trigger){ .kind = TRIGGER_STEPS }));
	refused("when", "'the end' is not step, rss or no step");
	refused("when step < 3 * p50", "'<' is not >");
	refused("when step > 0 * p50", "'0' is not a number above 0");
	refused("when step > 3 * p99", "'p99' is not p50");
	refused("when rss > 0.9", "'the end' is not *");
	refused("when rss > 20", "'the end' is not *");
	refused("when rss > 99999999999999T", "is not a number above 0");
	refused("when no steps for 60s", "is not 'step for'");
}

TEST(lists)
{
	static const char text[] = "# the night run\n steps 10..11\t# these\n\nnow for 5s;when no "
				   "step for 60s\r\nwhat\nnever";
	struct trigger_list list;
	char why[TRIGGER_WHY_BYTES], many[TRIGGER_BYTES + 100];

	assert_int_equal(trigger_parse_list(text, sizeof(text) - 1, &list, why), 2);
	assert_int_equal(list.count, 3);
	assert_string_equal(why, "'what' is not now, steps or when");
	assert_int_equal(list.trigger[0].length, strlen("steps 10..11"));
	assert_memory_equal(text + list.trigger[0].at, "steps 10..11", strlen("steps 10..11"));
	assert_int_equal(list.trigger[2].kind, TRIGGER_NO_STEP);
	assert_int_equal(trigger_parse_list("", 0, &list, why), 0);
	assert_int_equal(list.count, 0);
	memset(many, '\n', sizeof(many));
	for (unsigned int i = 0; i < 20; i++)
		memcpy(many + 10 * i, "now", 3);
	assert_int_equal(trigger_parse_list(many, sizeof(many), &list, why), 4);
	assert_int_equal(list.count, TRIGGER_LIST);
	assert_string_equal(why, "there are more than 16 requests");
}
