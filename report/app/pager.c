/* SPDX-License-Identifier: MIT */
/*
 * stdout is redirected into a memfd while a report prints. At the end its lines are compared with
 * the height of the screen, and a shell runs the pager with the memfd as its input.
 */
#include "report/app/pager.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIECE 65536
#define NOT_STARTED 126 /* and 127: a shell's status for a command that it could not run */

static const char *pager_command(void)
{
	const char *command = getenv("PAGER"), *terminal = getenv("TERM");

	if (!isatty(STDOUT_FILENO) || !terminal || !strcmp(terminal, "dumb"))
		return NULL;
	if (!command)
		return "less";
	return *command && strcmp(command, "cat") != 0 ? command : NULL;
}

void pager_begin(struct pager *pager)
{
	*pager = (struct pager){ -1, -1 };
	if (!pager_command())
		return;
	fflush(stdout);
	pager->kept = memfd_create("prof-report", MFD_CLOEXEC);
	if (pager->kept < 0)
		return;
	pager->terminal = dup(STDOUT_FILENO);
	if (pager->terminal >= 0 && dup2(pager->kept, STDOUT_FILENO) >= 0)
		return;
	close(pager->kept);
	if (pager->terminal >= 0)
		close(pager->terminal);
	pager->terminal = -1;
}

int pager_terminal(const struct pager *pager)
{
	return pager->terminal < 0 ? STDOUT_FILENO : pager->terminal;
}

static void copy_to_terminal(int from)
{
	char piece[PIECE];
	ssize_t got;

	lseek(from, 0, SEEK_SET);
	while ((got = read(from, piece, sizeof(piece))) > 0)
		fwrite(piece, 1, (size_t)got, stdout);
}

static bool is_longer(int kept, unsigned int lines)
{
	char piece[PIECE];
	ssize_t got;

	lseek(kept, 0, SEEK_SET);
	while ((got = read(kept, piece, sizeof(piece))) > 0)
		for (ssize_t i = 0; i < got; i++)
			if (piece[i] == '\n' && !lines--)
				return true;
	return false;
}

/* False: it could not be started. */
static bool show_in_pager(int kept, const char *command)
{
	int status = 0;
	pid_t child;

	lseek(kept, 0, SEEK_SET);
	child = fork();
	if (child < 0)
		return false;
	if (!child) {
		setenv("LESS", "FRX", 0);
		signal(SIGPIPE, SIG_DFL);
		dup2(kept, STDIN_FILENO);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(NOT_STARTED);
	}
	signal(SIGINT, SIG_IGN); /* Ctrl-C belongs to the pager */
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	signal(SIGINT, SIG_DFL);
	return !WIFEXITED(status) ||
	       (WEXITSTATUS(status) != NOT_STARTED && WEXITSTATUS(status) != NOT_STARTED + 1);
}

void pager_end(struct pager *pager)
{
	struct winsize size = { .ws_row = 0 };
	const char *command;

	if (pager->terminal < 0)
		return;
	fflush(stdout);
	dup2(pager->terminal, STDOUT_FILENO);
	close(pager->terminal);
	pager->terminal = -1;
	command = pager_command();
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row || !command ||
	    !is_longer(pager->kept, size.ws_row - 1u) || !show_in_pager(pager->kept, command))
		copy_to_terminal(pager->kept);
	close(pager->kept);
}
