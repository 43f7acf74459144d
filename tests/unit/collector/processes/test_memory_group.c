/* SPDX-License-Identifier: MIT */
/* links: collector format */
/*
 * collector/processes/memory_group.c and memory_kills.c: limits and kills of groups of version 1
 * and 2 in folders of our own, groups that are not seen, and what files without sense give.
 */
#include "tests/unit/unit.h"

#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/processes/memory_group.h"
#include "collector/processes/memory_kills.h"
#include "collector/processes/proc.h"

static char root[64];
static struct memory_group group;

static int setup(void **state)
{
	snprintf(root, sizeof(root), "/tmp/memory_group.XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *at)
{
	(void)stat;
	(void)type;
	(void)at;
	return remove(path);
}

static int teardown(void **state)
{
	return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Writes ROOT/NAME, and makes its folders. */
static void put(const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *slash = strchr(path + strlen(root) + 1, '/'); slash;
	     slash = strchr(slash, '/')) {
		*slash = 0;
		mkdir(path, 0700);
		*slash++ = '/';
	}
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static bool groups(const char *text)
{
	char copy[512];

	snprintf(copy, sizeof(copy), "%s", text);
	return memory_group_read(copy, root, &group);
}

static uint64_t kills(void)
{
	char path[PATH_MAX];
	uint64_t count = UINT64_MAX;

	assert_true(memory_group_kills_file(&group, path, sizeof(path)));
	assert_true(memory_group_kills(path, &count));
	return count;
}

TEST_BOTH(version_2, setup, teardown)
{
	put("job/step/memory.max", "max\n");
	put("job/memory.max", "1073741824\n");
	put("job/step/memory.events", "low 0\nmax 12\noom 3\noom_kill 2\noom_group_kill 1\n");
	put("job/memory.events", "oom 3\noom_kill 5\n");
	assert_true(groups("0::/job/step\n"));
	assert_int_equal(memory_group_limit(&group), 1 << 30);
	assert_int_equal(kills(), 2);
	/* a group that is not seen here: the nearest one above */
	assert_true(groups("0::/job/other/leaf\n"));
	assert_int_equal(memory_group_limit(&group), 1 << 30);
	assert_int_equal(kills(), 5);
}

TEST_BOTH(version_1, setup, teardown)
{
	put("memory/job/memory.limit_in_bytes", "536870912\n");
	put("memory/job/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 7\n");
	assert_true(groups("5:devices:/\n4:memory:/job\n1:cpu,cpuacct:/job\n0::/other\n"));
	assert_int_equal(memory_group_limit(&group), 512 << 20);
	assert_int_equal(kills(), 7);
	assert_true(groups("3:cpuset,memory:/job\n"));
	assert_int_equal(kills(), 7);
}

TEST_BOTH(nothing_is_known, setup, teardown)
{
	char path[PATH_MAX], large[8192];
	uint64_t count = 9;

	assert_false(groups(""));
	assert_false(groups("garbage\n5:cpu:/a\n6:hugememory:/a\n"));
	memset(large, 'a', sizeof(large) - 1);
	large[sizeof(large) - 1] = 0;
	memcpy(large, "0::/", 4);
	assert_false(memory_group_read(large, root, &group)); /* longer than any path */
	assert_true(groups("0::/nowhere\n"));
	assert_true(memory_group_limit(&group) == UINT64_MAX);
	put("memory.events", "oom_kill none\n");
	put("memory.max", "-5\n");
	assert_true(memory_group_limit(&group) == UINT64_MAX);
	snprintf(path, sizeof(path), "%s/memory.events", root);
	assert_false(memory_group_kills(path, &count));
	put("memory.events", "");
	assert_false(memory_group_kills(path, &count));
	put("memory.events", "oom_group_kill 3\noom 2\n");
	assert_false(memory_group_kills(path, &count));
	assert_int_equal(count, 9);
}

TEST_BOTH(since_a_look, setup, teardown)
{
	const uint64_t sure_ns = MEMORY_KILLS_SURE_NS;
	struct memory_kills watched = { 0 };
	struct memory_kills_end end;
	char path[PATH_MAX];

	end = memory_kills_since(&watched, 100);
	assert_int_equal(end.kills, 0);
	put("memory.events", "oom_kill 4\n");
	snprintf(path, sizeof(path), "%s/memory.events", root);
	watched = (struct memory_kills){ .file = strdup(path), .before = { 4, 60 } };
	/* the kernel may have counted this process before that look */
	assert_int_equal(memory_kills_since(&watched, 59 + sure_ns).kills, 0);
	assert_int_equal(memory_kills_since(&watched, 60 + sure_ns).kills, 1);
	put("memory.events", "oom_kill 6\n");
	end = memory_kills_since(&watched, 100);
	assert_int_equal(end.kills, 3);
	assert_int_equal(end.within_ns, 40);
	assert_false(end.is_machine);
	assert_int_equal(memory_kills_since(&watched, 50).within_ns, 0);
	/* another group of that name, and one that is gone */
	put("memory.events", "oom_kill 1\n");
	assert_int_equal(memory_kills_since(&watched, 100).kills, 0);
	assert_int_equal(remove(path), 0);
	assert_int_equal(memory_kills_since(&watched, 100).kills, 0);
	memory_kills_release(&watched);
}

/* What is compared with is never a look from the last moments, once there are older ones. */
TEST(looks_that_are_kept)
{
	struct memory_kills watched = { 0 };

	for (uint64_t at_ns = 1; at_ns < 40 * 1000000000ull; at_ns += 900000000) {
		memory_kills_look(&watched, (uint32_t)getpid(), at_ns);
		if (!watched.file)
			return; /* nothing counts kills on this machine */
		assert_true(watched.before.looked_ns <= watched.last.looked_ns);
		if (at_ns > 2 * MEMORY_KILLS_SURE_NS)
			assert_true(at_ns >= watched.before.looked_ns + MEMORY_KILLS_SURE_NS);
	}
	memory_kills_release(&watched);
}

static void *waits_for_ever(void *context)
{
	for (;;)
		pause();
	return context;
}

/*
 * The kernel says "/" of a process whose main thread has ended, as of one that the OOM killer has
 * chosen and that is not gone yet. The group from before is kept.
 */
TEST(group_of_one_that_leaves)
{
	struct memory_kills watched = { 0 };
	struct memory_group found;
	struct proc_stat stat = { 0 };
	pthread_t thread;
	char *file;
	pid_t child;
	int go[2];
	char byte;

	assert_int_equal(pipe(go), 0);
	child = fork();
	if (!child) {
		if (read(go[0], &byte, 1) == 1 &&
		    !pthread_create(&thread, NULL, waits_for_ever, NULL))
			pthread_exit(NULL);
		_exit(1);
	}
	memory_kills_look(&watched, (uint32_t)child, 1);
	file = watched.file ? strdup(watched.file) : NULL;
	assert_int_equal(write(go[1], "x", 1), 1);
	while (!stat.leaving)
		assert_true(proc_stat((uint32_t)child, &stat));
	assert_false(memory_group_of((uint32_t)child, &found));
	memory_kills_look(&watched, (uint32_t)child, 20 * 1000000000ull);
	if (file)
		assert_string_equal(watched.file, file);
	free(file);
	memory_kills_release(&watched);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(go[0]);
	close(go[1]);
}
