/* SPDX-License-Identifier: MIT */
/*
 * A small printf of our own fills a buffer on the stack. Bare system calls write it while SIGPIPE
 * is blocked. log_line() is silent after LOG_LINES_MAX lines.
 */
#include "preload/base/log.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/arch/arch.h"

/* longer lines are cut; less than PIPE_BUF, so that a line is written whole */
#define LOG_BYTES 1024u
#define LOG_WAIT_MS 100

static struct stat log_file; /* st_ino 0 and st_dev 0: no file */
static bool log_open;
static _Atomic int log_lines;

struct line {
	char text[LOG_BYTES];
	size_t length;
};

void log_init(void)
{
	int saved = errno;

	log_open = fstat(STDERR_FILENO, &log_file) == 0;
	errno = saved;
}

bool log_can_speak(void)
{
	struct stat now;
	int saved = errno;
	bool same = log_open && syscall(SYS_fstat, STDERR_FILENO, &now) == 0 &&
		    now.st_dev == log_file.st_dev && now.st_ino == log_file.st_ino;

	errno = saved;
	return same;
}

/* --- formatting --- */

static void line_put(struct line *line, const char *text, size_t length)
{
	/* one byte is reserved for the newline */
	size_t room = sizeof(line->text) - 1 - line->length;

	if (length > room)
		length = room;
	memcpy(line->text + line->length, text, length);
	line->length += length;
}

static void line_put_text(struct line *line, const char *text)
{
	if (!text)
		text = "(null)";
	line_put(line, text, strlen(text));
}

static void line_put_number(struct line *line, unsigned long value, unsigned int base)
{
	char digits[24];
	size_t at = sizeof(digits);

	do
		digits[--at] = "0123456789abcdef"[value % base];
	while ((value /= base) != 0);
	line_put(line, digits + at, sizeof(digits) - at);
}

static void line_put_signed(struct line *line, long value)
{
	if (value < 0)
		line_put(line, "-", 1);
	line_put_number(line, value < 0 ? -(unsigned long)value : (unsigned long)value, 10);
}

/* strerror() translates its text and may allocate; strerrordesc_np() is in glibc 2.32 and newer. */
static const char *error_text(int error)
{
	switch (error) {
	case EPERM:
		return "operation not permitted";
	case ENOENT:
		return "no such file or directory";
	case EINTR:
		return "interrupted";
	case EIO:
		return "input/output error";
	case EAGAIN:
		return "resource temporarily unavailable";
	case ENOMEM:
		return "cannot allocate memory";
	case EACCES:
		return "permission denied";
	case EEXIST:
		return "file exists";
	case ENOTDIR:
		return "not a directory";
	case EISDIR:
		return "is a directory";
	case EINVAL:
		return "invalid argument";
	case ENFILE:
		return "too many open files in the system";
	case EMFILE:
		return "too many open files";
	case EFBIG:
		return "file too large";
	case ENOSPC:
		return "no space left on device";
	case EROFS:
		return "read-only file system";
	case ENOSYS:
		return "function not implemented";
	case ELOOP:
		return "too many levels of symbolic links";
	case ENAMETOOLONG:
		return "file name too long";
	case ENOEXEC:
		return "exec format error";
	case ETIMEDOUT:
		return "timed out";
	case EDQUOT:
		return "disk quota exceeded";
	case ETXTBSY:
		return "text file busy";
	case ECHILD:
		return "no child process";
	default:
		return NULL;
	}
}

static void line_put_error(struct line *line, int error)
{
	const char *text = error_text(error);

	if (text) {
		line_put_text(line, text);
	} else {
		line_put_text(line, "error ");
		line_put_signed(line, error);
	}
}

/*
 * Writes one conversion, which follows '%'. Returns the number of format characters that it
 * used.
 */
static size_t line_convert(struct line *line, const char *at, va_list *values, int error)
{
	bool is_long = *at == 'l' || *at == 'z';
	char character;

	switch (at[is_long]) {
	case 's':
		line_put_text(line, va_arg(*values, const char *));
		break;
	case 'd':
		line_put_signed(line, is_long ? va_arg(*values, long) : va_arg(*values, int));
		break;
	case 'u':
	case 'x':
		line_put_number(line,
				is_long ? va_arg(*values, unsigned long)
					: va_arg(*values, unsigned int),
				at[is_long] == 'x' ? 16 : 10);
		break;
	case 'c':
		character = (char)va_arg(*values, int);
		line_put(line, &character, 1);
		break;
	case 'm':
		line_put_error(line, error);
		break;
	case '%':
		line_put(line, "%", 1);
		break;
	default:
		return 0;
	}
	return is_long + 1u;
}

static void line_format(struct line *line, const char *format, va_list *values, int error)
{
	while (*format) {
		size_t plain = strcspn(format, "%");

		line_put(line, format, plain);
		format += plain;
		if (*format == '%')
			format += 1 + line_convert(line, format + 1, values, error);
	}
	line->text[line->length++] = '\n';
}

/* --- writing --- */

static void write_when_ready(const struct line *line)
{
	struct pollfd ready = { .fd = STDERR_FILENO, .events = POLLOUT };
	size_t done = 0;

	while (done < line->length) {
		ssize_t n;

		if (ARCH_POLL(&ready, 1, LOG_WAIT_MS) != 1 || !(ready.revents & POLLOUT))
			return;
		n = syscall(SYS_write, STDERR_FILENO, line->text + done, line->length - done);
		if (n < 0 && errno != EINTR)
			return;
		if (n > 0)
			done += (size_t)n;
	}
}

/*
 * Removes the SIGPIPE that our write raised, unless one was pending before, and then restores the
 * mask. The signal is directed at this thread, so it cannot belong to another. All calls go through
 * syscall(), because libc's functions are cancellation points and malloc() must not be one.
 */
static void line_write(const struct line *line)
{
	static const struct timespec at_once;
	const uint64_t pipe_only = 1ull << (SIGPIPE - 1); /* as the kernel's signal set */
	const size_t bytes = sizeof(pipe_only);
	uint64_t before, pending = 0;

	if (!log_can_speak())
		return;
	(void)syscall(SYS_rt_sigpending, &pending, bytes);
	if (syscall(SYS_rt_sigprocmask, SIG_BLOCK, &pipe_only, &before, bytes) != 0)
		return;
	write_when_ready(line);
	if (!(pending & pipe_only))
		while (syscall(SYS_rt_sigtimedwait, &pipe_only, NULL, &at_once, bytes) < 0 &&
		       errno == EINTR)
			;
	(void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, bytes);
}

void log_line(const char *format, ...)
{
	struct line line;
	va_list values;
	int saved = errno;

	if (atomic_fetch_add(&log_lines, 1) >= LOG_LINES_MAX)
		return;
	line.length = 0;
	line_put_text(&line, "intercept: ");
	va_start(values, format);
	line_format(&line, format, &values, saved);
	va_end(values);
	line_write(&line);
	errno = saved;
}

void log_text(const char *format, ...)
{
	struct line line;
	va_list values;
	int saved = errno;

	line.length = 0;
	va_start(values, format);
	line_format(&line, format, &values, saved);
	va_end(values);
	line_write(&line);
	errno = saved;
}
