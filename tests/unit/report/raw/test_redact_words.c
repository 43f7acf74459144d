/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/raw/redact_words.c: the words of --redact, alone, together, and those that are none. */
#include "tests/unit/unit.h"
#include "report/raw/redact_texts.h"
#include "report/raw/redact_words.h"

static struct report_request request;

static unsigned int take(const char *text)
{
	static struct options options;

	options.of_report[REPORT_OPTION_redact].text = text;
	request = (struct report_request){ .options = &options };
	return redact_words_take(&request, REDACT_HOST);
}

TEST(words_are_taken)
{
	assert_int_equal(take("args"), REDACT_ARGS);
	assert_int_equal(take("paths"), REDACT_PATHS);
	assert_int_equal(take("host,args"), REDACT_HOST | REDACT_ARGS);
	assert_int_equal(take("args,args,paths"), REDACT_ARGS | REDACT_PATHS);
	assert_string_equal(request.message, "");
	assert_int_equal(take(NULL), REDACT_HOST);
}

TEST(other_words_are_refused_by_name)
{
	static const char *const wrong[] = {
		"",      "arg",         "argss", "ARGS",         "args;paths",
		",args", "args,,paths", "host ", "paths,secrets"
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char quoted[64];

		assert_int_equal(take(wrong[i]), 0);
		snprintf(quoted, sizeof(quoted), "--redact '%s' is none of ", wrong[i]);
		assert_int_equal(strncmp(request.message, quoted, strlen(quoted)), 0);
	}
}
