/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/samples/place_roles.c: idle threads, and tasks of event loops. */
#include "report/samples/place_roles.h"

#include <string.h>

#include "tests/unit/unit.h"

static struct place_role role_at(const char *file, const char *function, uint32_t name,
				 const struct place_role *around)
{
	struct place_text text = { .file = file,
				   .function = function,
				   .file_length = strlen(file),
				   .function_length = strlen(function),
				   .file_name = name,
				   .function_name = name + 1 };

	return place_role_of(&text, around);
}

TEST(select_of_a_loop_is_idle)
{
	struct place_role run = role_at("/usr/lib/asyncio/runners.py", "run", 1, NULL);
	struct place_role forever = role_at("/usr/lib/asyncio/base_events.py", "run_forever", 2,
					    &run);
	struct place_role once = role_at("/usr/lib/asyncio/base_events.py", "_run_once", 3,
					 &forever);
	struct place_role select = role_at("/usr/lib/selectors.py", "select", 4, &once);

	assert_false(forever.is_idle);
	assert_true(once.is_idle);
	assert_true(select.is_idle);
	assert_int_equal(select.task, PLACE_TASK_LOOP);
}

TEST(select_of_the_program_is_a_wait)
{
	struct place_role own = role_at("/home/me/app.py", "main", 1, NULL);
	struct place_role select = role_at("/usr/lib/selectors.py", "select", 2, &own);

	assert_false(select.is_idle);
	assert_int_equal(select.task, PLACE_TASK_NONE);
}

/* uvloop has no functions of its own in the stack; it and anyio put a coroutine around main(). */
TEST(a_task_is_not_what_a_library_puts_around_it)
{
	struct place_role run = role_at("/usr/lib/asyncio/runners.py", "run", 1, NULL);
	struct place_role handle = role_at("/usr/lib/asyncio/events.py", "_run", 2, &run);
	struct place_role wrapper = role_at("/venv/uvloop/__init__.py", "wrapper", 3, &run);
	struct place_role of_uvloop = role_at("/home/me/app.py", "main", 5, &wrapper);
	struct place_role group = role_at("/venv/anyio/_backends/_asyncio.py", "_run_wrapped_task",
					  7, &handle);
	struct place_role of_anyio = role_at("/home/me/app.py", "main", 5, &group);

	assert_int_equal(wrapper.task, PLACE_TASK_LOOP);
	assert_int_equal(of_uvloop.task, place_task_of(5, 6));
	assert_int_equal(of_anyio.task, place_task_of(5, 6));
}

TEST(an_eager_task_begins_within_the_one_that_makes_it)
{
	struct place_role handle = role_at("/usr/lib/asyncio/events.py", "_run", 1, NULL);
	struct place_role maker = role_at("/home/me/app.py", "maker", 3, &handle);
	struct place_role factory = role_at("/usr/lib/asyncio/tasks.py", "factory", 5, &maker);
	struct place_role eager = role_at("/home/me/app.py", "eager", 7, &factory);

	assert_int_equal(factory.task, place_task_of(3, 4));
	assert_int_equal(eager.task, place_task_of(7, 8));
}

TEST(a_task_is_the_outermost_function_that_the_loop_runs)
{
	struct place_role run = role_at("/usr/lib/asyncio/runners.py", "run", 1, NULL);
	struct place_role once = role_at("/usr/lib/asyncio/base_events.py", "_run_once", 2, &run);
	struct place_role handle = role_at("/usr/lib/asyncio/events.py", "_run", 3, &once);
	struct place_role step = role_at("/usr/lib/asyncio/tasks.py", "__step", 4, &handle);
	struct place_role outer = role_at("/home/me/app.py", "outer", 5, &handle);
	struct place_role inner = role_at("/home/me/app.py", "inner", 7, &outer);
	struct place_role in_python = role_at("/home/me/app.py", "outer", 5, &step);

	assert_int_equal(outer.task, place_task_of(5, 6));
	assert_int_equal(inner.task, place_task_of(5, 6));
	assert_int_equal(in_python.task, place_task_of(5, 6));
	assert_int_equal(step.task, PLACE_TASK_LOOP);
	assert_false(inner.is_idle);
}

/* uvloop has no functions of its own in a stack. */
TEST(a_loop_in_c_is_idle_where_no_function_follows)
{
	struct place_role run = role_at("/usr/lib/asyncio/runners.py", "run", 1, NULL);
	struct place_role task = role_at("/home/me/app.py", "handle", 2, &run);

	assert_true(run.is_idle);
	assert_false(task.is_idle);
	assert_int_equal(task.task, place_task_of(2, 3));
}

TEST(threads_of_pools_and_servers_are_idle)
{
	struct place_role worker = role_at("/usr/lib/concurrent/futures/thread.py", "_worker", 1,
					   NULL);
	struct place_role task = role_at("/home/me/app.py", "look_up", 2, &worker);
	struct place_role queue = role_at("/usr/lib/queue.py", "get", 3, &task);

	assert_true(worker.is_idle);
	assert_false(task.is_idle);
	assert_false(queue.is_idle);
	assert_true(role_at("socket.py", "accept", 1, NULL).is_idle);
	assert_true(role_at("/usr/lib/socket.py", "accept", 1, NULL).is_idle);
	assert_false(role_at("/usr/lib/mysocket.py", "accept", 1, NULL).is_idle);
}
