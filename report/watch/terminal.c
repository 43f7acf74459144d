/* SPDX-License-Identifier: MIT */
/*
 * Signal handlers only set a flag, except those for a crash, which write the sequences and let the
 * signal do its work. Signals are blocked except during the wait, so that none is missed between
 * the check and the sleep.
 */
#include "report/watch/terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "report/base/memory.h"

#define ENTER "\033[?1049h\033[?25l" /* alternate screen, no cursor */
#define LEAVE "\033[?25h\033[?1049l"
#define HOME "\033[H"
#define ERASE_LINE "\033[K"
#define ERASE_BELOW "\033[J"
#define MS_NS 1000000

static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
static const int crashes[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static struct {
	bool is_open, draws, has_keys, at_exit;
	volatile sig_atomic_t is_drawn; /* the screen is ours */
	volatile sig_atomic_t ended_by, stopped, resized;
	struct termios keys;
	sigset_t outside, blocked;
	struct sigaction before[NSIG];
} terminal;

bool terminal_is_there(void)
{
	const char *kind = getenv("TERM");

	return isatty(STDOUT_FILENO) && kind && *kind && strcmp(kind, "dumb") != 0;
}

static void terminal_write(const char *text, size_t length)
{
	while (length) {
		ssize_t done = write(STDOUT_FILENO, text, length);

		if (done < 0 && errno != EINTR && errno != EAGAIN)
			return; /* the terminal is gone: the next wait will report it */
		if (done > 0) {
			text += done;
			length -= (size_t)done;
		}
	}
}

/* Calls only async-signal-safe functions. */
static void screen_leave(void)
{
	if (!terminal.is_drawn)
		return;
	terminal.is_drawn = 0;
	terminal_write(LEAVE, sizeof(LEAVE) - 1);
	if (terminal.has_keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &terminal.keys);
}

static void screen_enter(void)
{
	struct termios keys = terminal.keys;

	if (!terminal.draws)
		return;
	keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	keys.c_cc[VMIN] = 0;
	keys.c_cc[VTIME] = 0;
	terminal.is_drawn = 1;
	if (terminal.has_keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &keys);
	terminal_write(ENTER, sizeof(ENTER) - 1);
}

/* --- signals --- */

static void terminal_take_end(int number)
{
	terminal.ended_by = number;
}

static void take_stop(int number)
{
	(void)number;
	terminal.stopped = 1;
}

static void take_size(int number)
{
	(void)number;
	terminal.resized = 1;
}

/* The handler is already removed: the signal is raised again and has its usual effect. */
static void take_crash(int number)
{
	screen_leave();
	kill(getpid(), number);
}

static void signal_take(int number, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigemptyset(&action.sa_mask);
	sigaction(number, &action, &terminal.before[number]);
}

static void signals_take(void)
{
	sigemptyset(&terminal.blocked);
	for (size_t i = 0; i < COUNT(ends); i++) {
		signal_take(ends[i], terminal_take_end, 0);
		/* nohup, and shells for background jobs, have switched it off: it stays so */
		if (terminal.before[ends[i]].sa_handler == SIG_IGN)
			sigaction(ends[i], &terminal.before[ends[i]], NULL);
		sigaddset(&terminal.blocked, ends[i]);
	}
	signal_take(SIGTSTP, take_stop, 0);
	signal_take(SIGWINCH, take_size, 0);
	sigaddset(&terminal.blocked, SIGTSTP);
	sigaddset(&terminal.blocked, SIGWINCH);
	for (size_t i = 0; i < COUNT(crashes); i++)
		signal_take(crashes[i], take_crash, (int)SA_RESETHAND);
	sigprocmask(SIG_BLOCK, &terminal.blocked, &terminal.outside);
}

static void signals_give_back(void)
{
	for (size_t i = 0; i < COUNT(ends); i++)
		sigaction(ends[i], &terminal.before[ends[i]], NULL);
	for (size_t i = 0; i < COUNT(crashes); i++)
		sigaction(crashes[i], &terminal.before[crashes[i]], NULL);
	sigaction(SIGTSTP, &terminal.before[SIGTSTP], NULL);
	sigaction(SIGWINCH, &terminal.before[SIGWINCH], NULL);
	sigprocmask(SIG_SETMASK, &terminal.outside, NULL);
}

/* Stops as if nobody had handled the signal, and continues when it is told to. */
static void terminal_stop(void)
{
	sigset_t one;

	terminal.stopped = 0;
	screen_leave();
	sigaction(SIGTSTP, &terminal.before[SIGTSTP], NULL);
	sigemptyset(&one);
	sigaddset(&one, SIGTSTP);
	kill(getpid(), SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	sigprocmask(SIG_BLOCK, &one, NULL);
	signal_take(SIGTSTP, take_stop, 0);
	screen_enter();
}

/* --- life --- */

void terminal_open(bool draws)
{
	terminal.is_open = true;
	terminal.draws = draws;
	terminal.ended_by = terminal.stopped = terminal.resized = 0;
	terminal.has_keys = draws && isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp() &&
			    !tcgetattr(STDIN_FILENO, &terminal.keys);
	/* for memory that has run out, and other code that ends the program */
	if (!terminal.at_exit)
		terminal.at_exit = !atexit(screen_leave);
	signals_take();
	screen_enter();
}

void terminal_close(void)
{
	int ended_by = terminal.ended_by;

	if (!terminal.is_open)
		return;
	terminal.is_open = false;
	screen_leave();
	signals_give_back();
	if (ended_by && ended_by != SIGINT)
		kill(getpid(), ended_by);
}

void terminal_size(size_t *ret_columns, size_t *ret_rows)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return;
	if (size.ws_col)
		*ret_columns = size.ws_col;
	if (size.ws_row)
		*ret_rows = size.ws_row;
}

static size_t terminal_put(char *at, const char *text, size_t length)
{
	memcpy(at, text, length);
	return length;
}

/* In one write, so that no half of it is visible, or remains when the terminal is resized. */
void terminal_draw(const char *text, size_t length)
{
	const size_t around = sizeof(HOME) + sizeof(ERASE_BELOW), beside = sizeof(ERASE_LINE) + 2;
	char *frame = memory_grow(NULL, (length + 1) * (1 + beside) + around, 1);
	size_t used = 0;

	used += terminal_put(frame, HOME, sizeof(HOME) - 1);
	while (length) {
		const char *end = memchr(text, '\n', length);
		size_t line = end ? (size_t)(end - text) : length;

		used += terminal_put(frame + used, text, line);
		used += terminal_put(frame + used, ERASE_LINE, sizeof(ERASE_LINE) - 1);
		text += line + (end != NULL);
		length -= line + (end != NULL);
		if (length)
			used += terminal_put(frame + used, "\r\n", 2);
	}
	used += terminal_put(frame + used, ERASE_BELOW, sizeof(ERASE_BELOW) - 1);
	terminal_write(frame, used);
	free(frame);
}

/* --- waiting --- */

static uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 * MS_NS + (uint64_t)now.tv_nsec;
}

/* Reads what was typed; keys without a meaning are discarded. */
static bool keys_say_close(void)
{
	char key[64];
	ssize_t count = read(STDIN_FILENO, key, sizeof(key));

	if (count <= 0)
		return count == 0 || errno != EINTR;
	return memchr(key, 'q', (size_t)count) || memchr(key, 'Q', (size_t)count) ||
	       memchr(key, 3, (size_t)count) || memchr(key, 4, (size_t)count);
}

enum terminal_event terminal_wait(unsigned int ms)
{
	uint64_t end_ns = clock_ns() + (uint64_t)ms * MS_NS, now_ns;

	while ((now_ns = clock_ns()) < end_ns) {
		uint64_t left_ns = end_ns - now_ns;
		struct timespec left = { (time_t)(left_ns / (1000ull * MS_NS)),
					 (long)(left_ns % (1000ull * MS_NS)) };
		struct pollfd keys = { STDIN_FILENO, POLLIN, 0 };
		int ready = ppoll(&keys, terminal.has_keys ? 1 : 0, &left, &terminal.outside);

		if (terminal.ended_by)
			return TERMINAL_CLOSE;
		if (terminal.stopped) {
			terminal_stop();
			return TERMINAL_DRAW;
		}
		if (terminal.resized) {
			terminal.resized = 0;
			return TERMINAL_DRAW;
		}
		if (ready > 0 && keys_say_close())
			return TERMINAL_CLOSE;
	}
	return TERMINAL_TIME;
}
