/* SPDX-License-Identifier: MIT */
/*
 * Functions that open files by name. Sockets, pipes and files opened by other functions are
 * described when they are first used (descriptor.h). The mode is passed on if the flags say that
 * there is one, as libc does.
 */
#include <string.h>

#include "preload/io/descriptor.h"
#include "preload/io/io.h"

static inline bool has_mode(int flags)
{
	return (flags & O_CREAT) || io_is_nameless(flags);
}

static void record_open(struct io_call call, int fd, const char *path, int flags)
{
	call.fd = fd;
	io_record_open(&call, &(struct io_opening){ path, flags });
}

/* The mode argument after the flags, if there is one. */
#define MODE_BEHIND(flags)                             \
	({                                             \
		mode_t mode_ = 0;                      \
		if (has_mode(flags)) {                 \
			va_list list_;                 \
			va_start(list_, flags);        \
			mode_ = va_arg(list_, mode_t); \
			va_end(list_);                 \
		}                                      \
		mode_;                                 \
	})

#define OPEN_HOOK(name, as, parameters, arguments, flags) \
	IO_HOOK(int, name, parameters, arguments, as, -1, record_open(call, result, path, flags))

/* With the argument that is passed on instead of the dots. */
#define OPEN_MODE_HOOK(name, as, parameters, parameters_mode, arguments)        \
	IO_RECORDED(false, int, name, name, parameters_mode, arguments, as, -1, \
		    record_open(call, result, path, flags))                     \
	HOOK_EXPORT int name parameters                                         \
	{                                                                       \
		mode_t mode = MODE_BEHIND(flags);                               \
                                                                                \
		if (IO_LIKELY(hook_real.name && io_is_shut()))                  \
			return hook_real.name arguments;                        \
		return recorded_##name arguments;                               \
	}

#define OPEN(name)                                                       \
	OPEN_MODE_HOOK(name, "open", (const char *path, int flags, ...), \
		       (const char *path, int flags, mode_t mode), (path, flags, mode))
#define OPENAT(name)                                                                   \
	OPEN_MODE_HOOK(name, "openat", (int folder, const char *path, int flags, ...), \
		       (int folder, const char *path, int flags, mode_t mode),         \
		       (folder, path, flags, mode))

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
OPEN_HOOK(__open_2, "open", (const char *path, int flags), (path, flags), flags)
OPEN_HOOK(__open64_2, "open", (const char *path, int flags), (path, flags), flags)
OPEN_HOOK(__openat_2, "openat", (int folder, const char *path, int flags), (folder, path, flags),
	  flags)
OPEN_HOOK(__openat64_2, "openat", (int folder, const char *path, int flags), (folder, path, flags),
	  flags)
OPEN_HOOK(creat, "creat", (const char *path, mode_t mode), (path, mode),
	  O_WRONLY | O_CREAT | O_TRUNC)
OPEN_HOOK(creat64, "creat", (const char *path, mode_t mode), (path, mode),
	  O_WRONLY | O_CREAT | O_TRUNC)

/* --- streams --- */

static int flags_of_mode(const char *mode)
{
	bool both = strchr(mode, '+') != NULL;
	int flags = both ? O_RDWR : O_WRONLY;

	if (*mode == 'w')
		return flags | O_CREAT | O_TRUNC;
	if (*mode == 'a')
		return flags | O_CREAT | O_APPEND;
	return both ? O_RDWR : O_RDONLY;
}

static void record_stream(struct io_call call, FILE *stream, const char *path, const char *mode)
{
	int saved = errno;

	call.fd = stream ? fileno_unlocked(stream) : -1;
	errno = saved;
	if (path)
		io_record_open(&call, &(struct io_opening){ path, flags_of_mode(mode) });
}

#define FOPEN_HOOK(name)                                                                        \
	IO_HOOK_NULL(FILE *, name, (const char *path, const char *mode), (path, mode), "fopen", \
		     -1, record_stream(call, result, path, mode))

FOPEN_HOOK(fopen)
FOPEN_HOOK(fopen64)

/*
 * The descriptor may be the same while the file is another. Without a path it is the same file in
 * another mode.
 */
static inline int forget_stream(FILE *stream)
{
	int saved = errno;

	descriptor_forget(fileno_unlocked(stream));
	errno = saved;
	return -1;
}

#define FREOPEN_HOOK(name)                                                             \
	IO_HOOK_NULL(FILE *, name, (const char *path, const char *mode, FILE *stream), \
		     (path, mode, stream), "freopen", forget_stream(stream),           \
		     record_stream(call, result, path, mode))

FREOPEN_HOOK(freopen)
FREOPEN_HOOK(freopen64)
