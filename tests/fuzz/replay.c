/* SPDX-License-Identifier: MIT */
/*
 * The main function of a fuzz target built without libFuzzer: gives it every file named on the command
 * line, and every file of a directory named there. A crash or a sanitiser's report is the failure;
 * finding no input at all is one too. Changes nothing, makes no new inputs.
 */
#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path, const struct stat *info)
{
	size_t size = (size_t)info->st_size;
	FILE *file = fopen(path, "rb");
	/* Of the exact size, so that a sanitiser sees a read behind the end. */
	uint8_t *data = malloc(size ? size : 1);

	if (!file || !data || fread(data, 1, size, file) != size) {
		fprintf(stderr, "replay: cannot read '%s'\n", path);
		exit(1);
	}
	fclose(file);
	/* Said before: the last line names the input that crashed. */
	fprintf(stderr, "%s: %zu bytes\n", path, size);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 1;
}

static int replay_path(const char *path)
{
	struct dirent *entry;
	struct stat info;
	int count = 0;
	DIR *directory;

	if (stat(path, &info) == 0 && S_ISREG(info.st_mode))
		return replay_file(path, &info);
	directory = opendir(path);
	if (!directory) {
		fprintf(stderr, "replay: cannot open '%s'\n", path);
		return 0;
	}
	while ((entry = readdir(directory))) {
		char name[PATH_MAX];

		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		if (stat(name, &info) == 0 && S_ISREG(info.st_mode))
			count += replay_file(name, &info);
	}
	closedir(directory);
	return count;
}

int main(int argc, char **argv)
{
	int count = 0;

	for (int i = 1; i < argc; i++)
		count += replay_path(argv[i]);
	fprintf(stderr, "%d inputs replayed\n", count);
	return count == 0;
}
