/* SPDX-License-Identifier: MIT */
/* links: collector format */
/*
 * collector/processes/packages.c: what an installer has put beside the program is told once, and
 * nothing else.
 */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "collector/processes/packages.h"
#include "collector/region/region.h"

static char root[] = "/tmp/packages.XXXXXX";
static struct common common;
static struct packages packages;

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int set_up(void **state)
{
	if (!mkdtemp(root) || chdir(root))
		return -1;
	mkdir("libs", 0700);
	mkdir("project", 0700);
	mkdir("libs/fast_maths-1.0.dist-info", 0700);
	write_file("libs/fast_maths-1.0.dist-info/RECORD", "fast_maths/__init__.py,sha256=x,1\n"
							   "fast_maths/deep/core.py,sha256=y,2\n"
							   "six.py,sha256=z,3\n");
	mkdir("libs/broken-1.0.dist-info", 0700);
	mkfifo("libs/broken-1.0.dist-info/RECORD", 0600);
	mkdir("libs/.dist-info", 0700);
	mkdir("libs/old_docs-0.8-py3.11.egg-info", 0700);
	write_file("libs/old_docs-0.8-py3.11.egg-info/installed-files.txt",
		   "../old_docs/__init__.py\n../old_docs/table.py\n../older.py\nPKG-INFO\n");
	mkdir("project/mine.egg-info", 0700); /* of `pip install -e` */
	write_file("project/mine.egg-info/SOURCES.txt", "mine/__init__.py\n../mine/core.py\n");
	return 0;
}

static int tear_down(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	return chdir("/") || system(command);
}

static int begin(void **state)
{
	memset(&common, 0, sizeof(common));
	journal_init(&common.journal);
	packages_init(&packages, &common);
	return names_init(&common.names, &common.journal);
}

static int end(void **state)
{
	packages_release(&packages);
	names_release(&common.names);
	journal_release(&common.journal);
	return 0;
}

static void note(const char *file)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", root, file);
	packages_note(&packages, 7, path, strlen(path));
}

static size_t told(void)
{
	size_t count = 0;

	for (size_t i = 0; i < common.journal.count; i++)
		count += common.journal.event[i].id == EVT_meta;
	return count;
}

static bool told_path(const char *file)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", root, file);
	return memmem(common.journal.text, common.journal.text_bytes, path, strlen(path)) != NULL;
}

TEST_BOTH(what_a_record_lists_is_told_once, begin, end)
{
	note("libs/fast_maths/deep/core.py");
	assert_int_equal(told(), 1);
	assert_true(told_path("libs/fast_maths"));
	assert_false(told_path("libs/fast_maths/"));
	note("libs/fast_maths/deep/core.py");
	note("libs/fast_maths/__init__.py");
	assert_int_equal(told(), 1);
	note("libs/six.py");
	assert_int_equal(told(), 2);
	assert_true(told_path("libs/six.py"));
}

TEST_BOTH(what_setup_py_has_installed_is_told, begin, end)
{
	note("libs/old_docs/oxml/table.py");
	assert_true(told_path("libs/old_docs"));
	note("libs/older.py");
	assert_int_equal(told(), 2);
	note("libs/PKG-INFO");
	note("libs/old.py");
	note("project/mine/core.py");
	assert_int_equal(told(), 2);
}

TEST_BOTH(what_no_record_lists_is_the_users, begin, end)
{
	note("libs/train.py"); /* beside installed packages, as in a function of a cloud */
	note("libs/fast_maths_of_mine/core.py");
	note("libs/six.pyx");
	note("project/train.py");
	note("no/such/folder/train.py");
	assert_int_equal(told(), 0);
}

TEST_BOTH(odd_names_are_left_alone, begin, end)
{
	static const char zero[] = "/tmp/\0/a.py";
	char long_path[8192];

	memset(long_path, '/', sizeof(long_path));
	packages_note(&packages, 7, long_path, sizeof(long_path));
	packages_note(&packages, 7, long_path, 300);
	packages_note(&packages, 7, zero, sizeof(zero) - 1);
	packages_note(&packages, 7, "", 0);
	packages_note(&packages, 7, "/", 1);
	packages_note(&packages, 7, "six.py", 6);
	packages_note(&packages, 7, "<frozen os>", 11);
	assert_int_equal(told(), 0);
}

TEST_BOTH(without_folders_nothing_is_told, begin, end)
{
	common.view.redact = 1u << REGION_REDACT_paths;
	note("libs/six.py");
	assert_int_equal(told(), 0);
}

TEST_BOTH(a_full_table_tells_nothing_more, begin, end)
{
	char path[64];

	for (unsigned int i = 0; i < PACKAGES_KNOWN_MAX + 10; i++) {
		snprintf(path, sizeof(path), "missing%u/train.py", i);
		note(path);
	}
	assert_true(packages.known_count <= PACKAGES_KNOWN_MAX);
	note("libs/six.py");
	assert_int_equal(told(), 0);
}

TEST_GROUP(set_up, tear_down)
