/* SPDX-License-Identifier: MIT */
/*
 * Runs a command under a seccomp filter on one system call, as sandboxes do, which its children
 * inherit.
 *
 * usage: confine kill|eperm pidfd_open|memfd_create|chdir|umask|process_vm_readv|perf_event_open|
 * fallocate COMMAND...
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

static int number_of(const char *name)
{
	static const struct {
		const char *name;
		int number;
	} calls[] = { { "pidfd_open", SYS_pidfd_open },
		      { "memfd_create", SYS_memfd_create },
		      { "chdir", SYS_chdir },
		      { "umask", SYS_umask },
		      { "process_vm_readv", SYS_process_vm_readv },
		      { "perf_event_open", SYS_perf_event_open },
		      { "fallocate", SYS_fallocate } };

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!strcmp(name, calls[i].name))
			return calls[i].number;
	return -1;
}

int main(int argc, char **argv)
{
	int number = argc > 3 ? number_of(argv[2]) : -1;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, argc > 1 && !strcmp(argv[1], "kill")
						  ? SECCOMP_RET_KILL_PROCESS
						  : SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	if (number < 0)
		return 2;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("confine");
		return 77;
	}
	execvp(argv[3], argv + 3);
	perror(argv[3]);
	return 127;
}
