/* SPDX-License-Identifier: MIT */
/*
 * The parent of a session's collectors: a process that sleeps, and forks a collector when a
 * program asks for one (collector/region/nursery.h).
 *
 * A program that adopts orphans (process 1 of a container, a subreaper) would find collectors
 * among its children if the programs below it started them. The nursery was started from outside
 * of them, and the collectors are its children.
 */
#ifndef COLLECTOR_TURN_NURSERY_H
#define COLLECTOR_TURN_NURSERY_H

struct nursery {
	int region_fd;  /* the number at which a collector finds its region */
	int watched_fd; /* the same for a pidfd of its program */
	int listen_fd;
};

enum nursery_child {
	NURSERY_COLLECTOR,         /* this process is to be a collector */
	NURSERY_COLLECTOR_WATCHED, /* a collector that has a pidfd of its program */
	NURSERY_OVER,              /* this process has nothing more to do */
};

/*
 * Forks the nursery, which ends when the caller and all collectors that it forked have ended.
 * Returns in the caller, which is the first collector and continues at once, in each later
 * collector, and in the nursery when it ends. If no process can be forked, there is no nursery.
 * `first`: what the caller is.
 */
enum nursery_child nursery_run(const struct nursery *nursery, enum nursery_child first);

#endif
