/* SPDX-License-Identifier: MIT */
/* Waits by thread, function and object; locks are compared over all threads. */
#include "report/advice/os_waits.h"

#include "report/base/text.h"

static bool is_lock(uint64_t kind)
{
	return kind == WAIT_OBJECT_mutex || kind == WAIT_OBJECT_rwlock;
}

static void os_waits_take(void *state, const struct source_event *event,
			  const struct wait_told *told, bool counts)
{
	struct os_waits *waits = state;
	uint64_t key[GROUP_WORDS] = { 0 };

	if (!counts || (told->how != WAIT_ENDED && told->how != WAIT_UNFINISHED))
		return;
	key[OS_WAITS_THREAD] = event->thread->index;
	if (!is_lock(told->kind))
		key[OS_WAITS_FUNCTION] =
			source_name_of(waits->events.source, event->file, told->function)->index;
	key[OS_WAITS_KIND] = told->kind;
	key[OS_WAITS_OBJECT] = wait_objects_of(&waits->events.objects, event->process->index,
					       told->kind, told->object);
	key[OS_WAITS_IS_MAIN] = event->thread->tid == event->process->pid;
	groups_add(&waits->groups, key, &(struct group_call){ .duration_ns = told->duration_ns });
}

bool os_waits_is_for_any(const struct os_waits *waits, uint32_t function)
{
	static const char *const functions[] = { "poll",         "ppoll",       "select",
						 "pselect",      "epoll_wait",  "epoll_pwait",
						 "epoll_pwait2", "accept",      "accept4",
						 "sigwait",      "sigwaitinfo", "pause" };
	size_t length;
	const char *name = name_text(source_name_at(waits->events.source, function), &length);

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (text_is(name, length, functions[i]))
			return true;
	return false;
}

/* Waits for whatever comes next, or for what another thread does. */
static bool is_no_cause(const struct os_waits *waits, const struct group *group)
{
	uint64_t kind = group->key[OS_WAITS_KIND];

	if (os_waits_is_for_any(waits, (uint32_t)group->key[OS_WAITS_FUNCTION]))
		return true;
	return kind == WAIT_OBJECT_thread || kind == WAIT_OBJECT_condition || is_lock(kind);
}

bool os_waits_find_lock(const struct os_waits *waits, struct os_waits_lock *ret_lock)
{
	const struct groups *groups = &waits->groups;

	*ret_lock = (struct os_waits_lock){ .ns = 0 };
	for (size_t i = 0; i < groups->count; i++) {
		struct os_waits_lock lock = { .ns = 0 };

		if (!is_lock(groups->group[i].key[OS_WAITS_KIND]))
			continue;
		for (size_t j = 0; j < groups->count; j++) {
			if (groups->group[j].key[OS_WAITS_OBJECT] !=
			    groups->group[i].key[OS_WAITS_OBJECT])
				continue;
			lock.ns += groups->group[j].time.total_ns;
			lock.calls += groups->group[j].time.count;
			lock.threads++;
		}
		lock.word = wait_object_word(groups->group[i].key[OS_WAITS_KIND]);
		if (lock.ns > ret_lock->ns)
			*ret_lock = lock;
	}
	return ret_lock->ns;
}

const struct group *os_waits_main(const struct os_waits *waits)
{
	const struct group *most = NULL;

	for (size_t i = 0; i < waits->groups.count; i++) {
		const struct group *group = &waits->groups.group[i];

		if (group->key[OS_WAITS_IS_MAIN] && !is_no_cause(waits, group) &&
		    (!most || group->time.total_ns > most->time.total_ns))
			most = group;
	}
	return most;
}

static void os_waits_start(void *state, struct run *run, const void *options)
{
	struct os_waits *waits = state;

	(void)options;
	groups_init(&waits->groups);
	wait_events_start(&waits->events, run, os_waits_take);
}

static void os_waits_lose(void *state, const struct source_process *process)
{
	wait_events_lose(state, process);
}

static void os_waits_release(void *state)
{
	struct os_waits *waits = state;

	wait_events_release(&waits->events);
	groups_release(&waits->groups);
}

const struct analysis_kind analysis_os_waits = {
	.name = "os_waits",
	.state_bytes = sizeof(struct os_waits),
	.options_bytes = sizeof(struct os_waits_options),
	.start = os_waits_start,
	.lose = os_waits_lose,
	.release = os_waits_release,
};
