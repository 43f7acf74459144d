/* SPDX-License-Identifier: MIT */
/*
 * vfork(): the child runs on its parent's memory and stack until it calls exec or _exit. What it does with
 * descriptors is its own affair, and the ring and the table of descriptors are its parent's; so it must be known
 * that it is one. A function in C cannot call vfork() for another: the child would return into its frame and
 * destroy it. So this one marks the thread and jumps to the original, which returns to the caller.
 */
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/io/io.h"

/* The original for vfork() below to jump to, or fork() by the kernel's own hand where there is none. */
static pid_t fork_instead(void)
{
	return (pid_t)syscall(SYS_fork);
}

typedef pid_t vfork_function(void);
__attribute__((used, visibility("hidden"))) vfork_function *io_vfork_begins(void);

vfork_function *io_vfork_begins(void)
{
	int saved = errno;

	if (!hook_real.vfork && (!hook_resolve() || !hook_real.vfork))
		return fork_instead;
	io_has_vforked = true;
	errno = saved;
	return hook_real.vfork;
}

__asm__(".text\n"
	".globl vfork\n"
	".type vfork, @function\n"
	"vfork:\n"
	".cfi_startproc\n"
	"endbr64\n"
	"sub $8, %rsp\n"
	".cfi_adjust_cfa_offset 8\n"
	"call io_vfork_begins\n"
	"add $8, %rsp\n"
	".cfi_adjust_cfa_offset -8\n"
	"jmp *%rax\n"
	".cfi_endproc\n"
	".size vfork, .-vfork\n");
