/* SPDX-License-Identifier: MIT */
/*
 * When a process gets its entry in the region's process table (record/entry.h). Normally the
 * parent claims one before fork(). After a fork that bypassed libc the child claims it, at its
 * first event. Also handles the end of the process.
 *
 * Called from hooks, atfork handlers and the exit handler: no allocation, no lock.
 */
#ifndef PRELOAD_LIFE_PROCESS_H
#define PRELOAD_LIFE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Once: fork, thread and exit handlers. Must run in the constructor, so that our exit handler is the
 * last of all (exit handlers run in reverse order, ours is older than ld.so's). `left` is called in a child
 * of fork() for which process_adopt() was false, `ended` with process_end()'s answer after exit().
 */
void process_install_handlers(void (*left)(void), void (*ended)(bool collector_moves));

/*
 * A forked child finds itself: takes an entry of its own and opens the recorder again. Leaves the gates
 * shut when there is no entry. False when the parent's collector has finished: nobody records this child, and
 * it may have a region and a file of its own. Not made here, within malloc() perhaps.
 */
bool process_adopt(void);

/*
 * The process ends with `status` in the way `how` (enum evt_end_how); waits at most one second for
 * the collector when `wait`. Only for the process itself: a vfork() child's call is nothing.
 * False when the collector has not moved at all in that second.
 */
bool process_end(int status, uint32_t how, bool wait);

/* The process is about to become another program; false: that has failed. As process_end() for the process
 * itself only. errno is kept. */
void process_note_exec(bool begins);

#endif
