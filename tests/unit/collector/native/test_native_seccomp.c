/* SPDX-License-Identifier: MIT */
/* links: collector format */
/*
 * collector/native/seccomp.c: no filter, filters that let perf_event_open(), refuse it and kill;
 * with a SIGCHLD that is ignored, too; no core is left.
 */
#include <glob.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "collector/native/seccomp.h"

#define NO_FILTER 0xffffffffu
#define CANNOT 2

static bool filter_set(uint32_t action)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* What a process of its own, under such a filter, says. */
static int kills_under(uint32_t action, bool ignores_children)
{
	struct rlimit core;
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (!getrlimit(RLIMIT_CORE, &core)) {
			core.rlim_cur = core.rlim_max;
			setrlimit(RLIMIT_CORE, &core);
		}
		signal(SIGSYS, SIG_DFL); /* cmocka's */
		signal(SIGCHLD, ignores_children ? SIG_IGN : SIG_DFL);
		if (action != NO_FILTER && !filter_set(action))
			_exit(CANNOT);
		_exit(seccomp_kills_perf());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == CANNOT)
		skip();
	return WEXITSTATUS(status);
}

TEST(test_filters)
{
	glob_t cores;

	for (int ignores = 0; ignores < 2; ignores++) {
		assert_int_equal(kills_under(NO_FILTER, ignores), 0);
		assert_int_equal(kills_under(SECCOMP_RET_ALLOW, ignores), 0);
		assert_int_equal(kills_under(SECCOMP_RET_ERRNO | 1, ignores), 0);
		assert_int_equal(kills_under(SECCOMP_RET_KILL_PROCESS, ignores), 1);
		assert_int_equal(kills_under(SECCOMP_RET_TRAP, ignores), 1);
	}
	/*
	 * of who was killed; this is an empty folder (where core_pattern names another there is
	 * none either)
	 */
	assert_int_equal(glob("core*", 0, NULL, &cores), GLOB_NOMATCH);
}
