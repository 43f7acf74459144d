/* SPDX-License-Identifier: MIT */
/*
 * Runs a program under a seccomp filter that lets all system calls pass but one:
 *
 *   confined kill|refuse|trap|pass CALL PROGRAM ARGUMENT...
 *
 * CALL is memfd_create or none. Exit status 99 where there is no seccomp.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned int action_of(const char *word)
{
	if (!strcmp(word, "kill"))
		return SECCOMP_RET_KILL_PROCESS;
	if (!strcmp(word, "trap"))
		return SECCOMP_RET_TRAP;
	return !strcmp(word, "refuse") ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_ALLOW;
}

int main(int argc, char **argv)
{
	unsigned int number = argc > 3 && !strcmp(argv[2], "memfd_create") ? SYS_memfd_create
									   : 0xffffu;
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, argc > 3 ? action_of(argv[1]) : SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	if (argc < 4)
		return 2;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 99;
	execvp(argv[3], argv + 3);
	return 127;
}
