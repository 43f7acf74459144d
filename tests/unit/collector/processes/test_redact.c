/* SPDX-License-Identifier: MIT */
/* links: collector */
/* collector/processes/redact.c: what stays of command lines, paths and host names. */
#include <stdio.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "collector/processes/redact.h"
#include "collector/region/region.h"

#define ARGS (1u << REGION_REDACT_args)
#define PATHS (1u << REGION_REDACT_paths)
#define HOST (1u << REGION_REDACT_host)

static const char *command(uint32_t redact, const char *text)
{
	static char changed[256];
	size_t length = strlen(text);

	memcpy(changed, text, length);
	changed[redact_command(redact, changed, length)] = 0;
	return changed;
}

TEST(of_a_command_line_the_name_stays)
{
	assert_string_equal(command(ARGS, "/usr/bin/python3 train.py --key=secret"), "python3");
	assert_string_equal(command(ARGS, "train --token=a/b"), "train");
	assert_string_equal(command(ARGS | PATHS | HOST, "./x y"), "x");
	assert_string_equal(command(ARGS, "x"), "x");
	assert_string_equal(command(ARGS, " x"), "");
	assert_string_equal(command(ARGS, "/a/b/ c"), "");
	assert_string_equal(command(ARGS, ""), "");
	assert_string_equal(command(HOST, "/usr/bin/x --key=secret"), "/usr/bin/x --key=secret");
	assert_string_equal(command(0, "/usr/bin/x /y"), "/usr/bin/x /y");
}

TEST(of_a_command_line_folders_go)
{
	assert_string_equal(command(PATHS, "/usr/bin/python3 /home/u/train.py --lr=1/2 -x"),
			    "python3 train.py --lr=2 -x");
	assert_string_equal(command(PATHS, "a --data=/mnt/secret/x,/mnt/y:/z/w"), "a --data=x,y:w");
	assert_string_equal(command(PATHS, "sh -c 'cd \"/a/b\"; ../c/d'"), "sh -c 'cd \"b\"; d'");
	assert_string_equal(command(PATHS, "ls /a/b/"), "ls ");
	assert_string_equal(command(PATHS, "curl https://h/p?q=1"), "curl https:p?q=1");
	assert_string_equal(command(PATHS, "///"), "");
}

TEST(of_a_path_the_base_name_stays)
{
	static const char path[] = "/opt/secret/lib.so (deleted)";
	size_t length = sizeof(path) - 1;
	const char *left = redact_path(PATHS, path, &length);

	assert_int_equal(length, strlen("lib.so (deleted)"));
	assert_memory_equal(left, "lib.so (deleted)", length);
	length = sizeof(path) - 1;
	assert_ptr_equal(redact_path(ARGS | HOST, path, &length), path);
	assert_int_equal(length, sizeof(path) - 1);
	length = 0;
	assert_ptr_equal(redact_path(PATHS, path, &length), path);
	assert_int_equal(length, 0);
}

TEST(a_host_is_told_apart_and_not_named)
{
	char one[64] = "server-one", same[64] = "server-one", two[64] = "server-two",
	     later[64] = "server-one", plain[64] = "server-one";

	redact_host(HOST, one, sizeof(one), "feedbeef");
	redact_host(HOST, same, sizeof(same), "feedbeef");
	redact_host(HOST, two, sizeof(two), "feedbeef");
	redact_host(HOST, later, sizeof(later), "feedbee0");
	redact_host(ARGS | PATHS, plain, sizeof(plain), "feedbeef");
	assert_string_equal(plain, "server-one");
	assert_string_equal(one, same);
	assert_int_equal(strncmp(one, "redacted", 8), 0);
	assert_null(strstr(one, "server"));
	if (access("/proc/sys/kernel/random/boot_id", R_OK) != 0)
		return; /* then all of them are the same */
	assert_string_not_equal(one, two);
	assert_string_not_equal(one, later);
	assert_int_equal(strlen(one), strlen("redacted-01234567"));
}

TEST(what_is_left_out_has_a_text)
{
	char text[REDACT_TEXT_BYTES];

	redact_text(0, text);
	assert_string_equal(text, "");
	redact_text(ARGS | HOST, text);
	assert_string_equal(text, "args,host");
	redact_text(UINT32_MAX, text);
	assert_string_equal(text, "args,paths,host");
}
