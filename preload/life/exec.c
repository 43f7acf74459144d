/* SPDX-License-Identifier: MIT */
/*
 * The exec functions. Before the call, the program writes the time into its entry, because nobody
 * else knows when its image ended. If the exec fails, the time is removed again. If Python is the
 * caller, events that are held back are recorded first (departure.h). The originals do the work.
 *
 * The functions with an argument list build an array and call the original that takes an array, as
 * libc does. All of them may be called in a signal handler and in a vfork() child. So they take no
 * lock and allocate only on the stack, unless Python is the caller.
 */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/hook/hook.h"
#include "preload/life/departure.h"
#include "preload/life/process.h"

#define EXEC(name, ...)                                               \
	({                                                            \
		int result_ = -1;                                     \
		if (hook_resolve() && hook_real.name) {               \
			departure_flush(__builtin_return_address(0)); \
			process_note_exec(true);                      \
			result_ = hook_real.name(__VA_ARGS__);        \
			process_note_exec(false);                     \
		} else {                                              \
			errno = ENOSYS;                               \
		}                                                     \
		result_;                                              \
	})

/* Returns the number of arguments before the NULL. */
static size_t list_count(va_list list)
{
	size_t count = 0;

	while (va_arg(list, char *))
		count++;
	return count;
}

/* Copies `first`, the rest of the list and its NULL into an array with enough room. */
static void list_copy(char **array, const char *first, size_t count, va_list list)
{
	array[0] = (char *)(uintptr_t)first;
	for (size_t i = 1; i <= count + 1; i++)
		array[i] = va_arg(list, char *);
}

/*
 * Builds an array of `first` and the arguments after it on the caller's stack. Afterwards `list` is
 * behind the NULL.
 */
#define LIST(array, list, first)                                             \
	do {                                                                 \
		size_t count_;                                               \
		va_start(list, first);                                       \
		count_ = list_count(list);                                   \
		va_end(list);                                                \
		(array) = __builtin_alloca((count_ + 2) * sizeof(*(array))); \
		va_start(list, first);                                       \
		list_copy(array, first, count_, list);                       \
	} while (0)

HOOK_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	return EXEC(execve, path, argv, envp);
}

HOOK_EXPORT int execv(const char *path, char *const argv[])
{
	return EXEC(execv, path, argv);
}

HOOK_EXPORT int execvp(const char *file, char *const argv[])
{
	return EXEC(execvp, file, argv);
}

HOOK_EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	return EXEC(execvpe, file, argv, envp);
}

HOOK_EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	return EXEC(fexecve, fd, argv, envp);
}

HOOK_EXPORT int execveat(int fd, const char *path, char *const argv[], char *const envp[],
			 int flags)
{
	return EXEC(execveat, fd, path, argv, envp, flags);
}

HOOK_EXPORT int execl(const char *path, const char *arg, ...)
{
	va_list list;
	char **argv;

	LIST(argv, list, arg);
	va_end(list);
	return EXEC(execv, path, argv);
}

HOOK_EXPORT int execlp(const char *file, const char *arg, ...)
{
	va_list list;
	char **argv;

	LIST(argv, list, arg);
	va_end(list);
	return EXEC(execvp, file, argv);
}

/* The environment follows the list's NULL. */
HOOK_EXPORT int execle(const char *path, const char *arg, ...)
{
	va_list list;
	char **argv;
	char *const *envp;

	LIST(argv, list, arg);
	envp = va_arg(list, char *const *);
	va_end(list);
	return EXEC(execve, path, argv, envp);
}
