/* SPDX-License-Identifier: MIT */
/*
 * _exit() and _Exit(): the only ends of a process that report their status to nobody but the
 * parent. The handler for exit() is in process.c. The originals do the work; we never end a
 * process.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/format/events.h"
#include "preload/hook/hook.h"
#include "preload/life/departure.h"
#include "preload/life/process.h"

/* When PID 1 of a container ends, the collector is killed with it. So only PID 1 waits here. */
static void note_status(int status, const void *caller)
{
	departure_flush(caller);
	(void)process_end(status, EVT_END_IMMEDIATE, syscall(SYS_getpid) == 1);
}

HOOK_EXPORT __attribute__((noreturn)) void _exit(int status)
{
	note_status(status, __builtin_return_address(0));
	if (hook_resolve() && hook_real._exit)
		hook_real._exit(status);
	for (;;)
		syscall(SYS_exit_group, status);
}

HOOK_EXPORT __attribute__((noreturn)) void _Exit(int status)
{
	note_status(status, __builtin_return_address(0));
	if (hook_resolve() && hook_real._Exit)
		hook_real._Exit(status);
	for (;;)
		syscall(SYS_exit_group, status);
}
