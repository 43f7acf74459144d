/* SPDX-License-Identifier: MIT */
/* links: preload:life/session.c,life/lineage.c,life/child_environment.c */
/*
 * Who records and where to: roles by what a process inherits, by its name and by the settings; what
 * children find. This program stands for the library, which is "preloaded" when LD_PRELOAD names
 * it.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNIT_HAS_MAIN
#include "tests/unit/plain_clock.h"
#include "tests/unit/unit.h"
#include "preload/life/session.h"

#define PRELOADED "/somewhere/test_session"

struct settings settings;

static char folder[] = "/tmp/intercept-unit-XXXXXX";

static int setup(void **state)
{
	memset(&session, 0, sizeof(session));
	memset(&settings, 0, sizeof(settings));
	return 0;
}

/* As the constructor does; `inherited` is INTERCEPT_SESSION. */
static enum session_role begin(const char *inherited, enum settings_children children)
{
	session_begin("/out/own.evt", inherited, PRELOADED, children);
	return session.role;
}

/* "<id>:<pid>:/out/first.evt" of this process or of another one. */
static const char *inherited_from(bool own)
{
	static char text[64];

	snprintf(text, sizeof(text), "beef:%d:/out/first.evt", own ? (int)getpid() : 1);
	return text;
}

/* --- roles --- */

TEST_SET_UP(the_first_process_records, setup)
{
	assert_int_equal(begin(NULL, SETTINGS_CHILDREN_AUTO), SESSION_ACTIVE);
	assert_true(session.fresh);
	assert_false(session.late);
	assert_int_equal(strlen(session.id), 16);
	assert_int_equal(strspn(session.id, "0123456789abcdef"), 16);
	assert_string_equal(session.output, "/out/own.evt");
	assert_non_null(strstr(session.library, "/test_session"));
}

TEST_SET_UP(children_go_by_the_setting, setup)
{
	assert_int_equal(begin(inherited_from(false), SETTINGS_CHILDREN_AUTO), SESSION_DORMANT);
	assert_false(session.fresh);
	assert_string_equal(session.id, "beef");
	assert_string_equal(session.output, "/out/first.evt");
	assert_int_equal(begin(inherited_from(false), SETTINGS_CHILDREN_ALL), SESSION_ACTIVE);
	assert_int_equal(begin(inherited_from(false), SETTINGS_CHILDREN_NONE), SESSION_NEVER);
}

/* A launcher has handed its place on by exec: the pid is the same. */
TEST_SET_UP(the_place_goes_with_the_pid, setup)
{
	assert_int_equal(begin(inherited_from(true), SETTINGS_CHILDREN_NONE), SESSION_ACTIVE);
	assert_false(session.fresh);
	assert_string_equal(session.id, "beef");
}

TEST_SET_UP(an_output_that_names_processes_apart_is_the_own, setup)
{
	settings.output_varies = true;
	(void)begin(inherited_from(false), SETTINGS_CHILDREN_AUTO);
	assert_string_equal(session.output, "/out/own.evt");
}

TEST_SET_UP(what_is_no_session_begins_one, setup)
{
	static const char *const texts[] = { "",       ":1:/x",   "a",       "a:1",
					     "a:x:/y", "a:1:rel", "a:-1:/x", "a:0:/x" };
	char text[2 * REGION_PATH_BYTES];

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(begin(texts[i], SETTINGS_CHILDREN_NONE), SESSION_ACTIVE);
		assert_true(session.fresh);
		assert_int_equal(strlen(session.id), 16);
		assert_string_equal(session.output, "/out/own.evt");
	}
	memset(text, 'x', sizeof(text));
	memcpy(text, "a:1:/", 5);
	text[sizeof(text) - 1] = 0;
	assert_int_equal(begin(text, SETTINGS_CHILDREN_NONE), SESSION_ACTIVE);
	assert_string_equal(session.output, "/out/own.evt");
}

/* Opened by dlopen(), as the CUDA driver does: the heap does not come through us. */
TEST_SET_UP(who_is_not_preloaded_is_late, setup)
{
	session_begin("/out/own.evt", NULL, "/somewhere/else.so", SETTINGS_CHILDREN_ALL);
	assert_true(session.late);
	assert_int_equal(session.role, SESSION_DORMANT);
	unsetenv("INTERCEPT_SESSION");
	session_export("/somewhere/else.so");
	assert_null(getenv("INTERCEPT_SESSION"));
}

/* Runs this program under another name; its role. */
static int role_under(const char *name)
{
	char path[256], command[2 * REGION_PATH_BYTES];
	int status;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	snprintf(command, sizeof(command), "cp %s %s && %s --role", session.library, path, path);
	fflush(NULL);
	status = system(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_SET_UP(launchers_stay_dormant_by_their_name, setup)
{
	(void)begin(NULL, SETTINGS_CHILDREN_AUTO);
	assert_int_equal(role_under("nohup"), SESSION_DORMANT);
	assert_int_equal(role_under("busybox"), SESSION_DORMANT);
	assert_int_equal(role_under("nohups"), SESSION_ACTIVE);
}

/* --- what children find --- */

TEST_SET_UP(children_find_the_session, setup)
{
	char text[REGION_TEXT_BYTES + REGION_PATH_BYTES];

	unsetenv("INTERCEPT_SESSION");
	unsetenv("CUDA_INJECTION64_PATH");
	setenv("NVTX_INJECTION64_PATH", "/another/tool.so", 1);
	(void)begin(NULL, SETTINGS_CHILDREN_AUTO);
	session_export(PRELOADED);
	snprintf(text, sizeof(text), "%s:%d:/out/own.evt", session.id, (int)getpid());
	assert_string_equal(getenv("INTERCEPT_SESSION"), text);
	assert_string_equal(getenv("CUDA_INJECTION64_PATH"), session.library);
	assert_string_equal(getenv("NVTX_INJECTION64_PATH"), "/another/tool.so");
	/* a child does not take the place of the first */
	(void)begin(inherited_from(false), SETTINGS_CHILDREN_ALL);
	session_export(PRELOADED);
	assert_string_equal(getenv("INTERCEPT_SESSION"), text);
}

TEST_SET_UP(our_relative_path_becomes_absolute, setup)
{
	char wanted[2 * REGION_PATH_BYTES], back[PATH_MAX], *slash;

	(void)begin(NULL, SETTINGS_CHILDREN_AUTO);
	assert_non_null(getcwd(back, sizeof(back)));
	snprintf(wanted, sizeof(wanted), "%s", session.library);
	slash = strrchr(wanted, '/');
	*slash = 0;
	assert_int_equal(chdir(wanted), 0);
	session_export("first.so:./test_session /abs/last.so");
	assert_int_equal(chdir(back), 0);
	snprintf(wanted, sizeof(wanted), "first.so:%s /abs/last.so", session.library);
	assert_string_equal(getenv("LD_PRELOAD"), wanted);
	unsetenv("LD_PRELOAD");
}

/* --- the collector --- */

static void touch(const char *path, mode_t mode)
{
	char whole[PATH_MAX];
	int fd;

	snprintf(whole, sizeof(whole), "%s/%s", folder, path);
	fd = open(whole, O_CREAT | O_WRONLY, mode);
	assert_true(fd >= 0);
	close(fd);
}

static void make_folder(const char *path)
{
	char whole[PATH_MAX];

	snprintf(whole, sizeof(whole), "%s/%s", folder, path);
	assert_int_equal(mkdir(whole, 0700), 0);
}

TEST_SET_UP(the_collector_is_beside_the_library_or_installed, setup)
{
	char path[REGION_PATH_BYTES];

	make_folder("lib");
	make_folder("lib/intercept");
	make_folder("libexec");
	make_folder("libexec/intercept");
	snprintf(session.library, sizeof(session.library), "%s/lib/intercept/libintercept.so",
		 folder);
	assert_false(session_find_collector(path, sizeof(path)));
	touch("libexec/intercept/intercept-collector", 0700);
	assert_true(session_find_collector(path, sizeof(path)));
	assert_non_null(strstr(path, "libexec"));
	touch("lib/intercept/intercept-collector", 0600); /* not executable */
	assert_true(session_find_collector(path, sizeof(path)));
	assert_non_null(strstr(path, "libexec"));
	assert_false(session_find_collector(path, 16));
}

int main(int argc, char **argv)
{
	char command[64];
	int failed;

	if (argc > 1 && strcmp(argv[1], "--role") == 0) {
		session_begin("/out/own.evt", NULL, argv[0], SETTINGS_CHILDREN_AUTO);
		return (int)session.role;
	}
	if (!mkdtemp(folder))
		return 1;
	failed = unit_run();
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) ? 1 : failed;
}
