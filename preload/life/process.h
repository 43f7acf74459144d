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
 * Installs the handlers for fork, threads and exit. Call once, in the constructor, so that our exit
 * handler runs last (exit handlers run in reverse order, and ours is older than ld.so's). `left` is
 * called in a forked child if process_adopt() returned false. `ended` is called after exit() with
 * process_end()'s result.
 */
void process_install_handlers(void (*left)(void), void (*ended)(bool collector_moves));

/*
 * Called in a forked child: takes an entry of its own and opens the recorder again. The gates stay
 * shut if there is no entry. Returns false if the parent's collector has finished: nobody records
 * this child, and it may have a region and a file of its own. They are not created here, because
 * this may run within malloc().
 */
bool process_adopt(void);

/*
 * The process ends with `status` in the way `how` (enum evt_end_how). Waits at most one second for
 * the collector if `wait` is set. Acts only for the process itself: a call in a vfork() child does
 * nothing. Returns false if the collector has made no progress in that second.
 */
bool process_end(int status, uint32_t how, bool wait);

/*
 * The process is about to become another program; `begins` false: that has failed. Acts only for
 * the process itself, as process_end() does. errno is preserved.
 */
void process_note_exec(bool begins);

#endif
