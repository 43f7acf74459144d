/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz target over files without libFuzzer: every file named on the command line, and every
 * file of every directory named there. Prints how many; a crash is the failure.
 */
#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path, size_t size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = malloc(size ? size
				     : 1); /* exactly as long, so that a sanitiser sees the end */
	size_t length;

	if (!file || !bytes) {
		fprintf(stderr, "replay: cannot open '%s': %s\n", path, strerror(errno));
		free(bytes);
		if (file)
			fclose(file);
		return -1;
	}
	length = fread(bytes, 1, size, file);
	fclose(file);
	LLVMFuzzerTestOneInput(bytes, length);
	free(bytes);
	return 0;
}

static int replay_path(const char *path, unsigned int *count);

static int replay_directory(const char *path, unsigned int *count)
{
	DIR *directory = opendir(path);
	const struct dirent *entry;
	int failed = 0;

	if (!directory)
		return -1;
	while ((entry = readdir(directory))) {
		char name[4096];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		failed |= replay_path(name, count);
	}
	closedir(directory);
	return failed;
}

static int replay_path(const char *path, unsigned int *count)
{
	struct stat st;

	if (stat(path, &st)) {
		fprintf(stderr, "replay: cannot open '%s': %s\n", path, strerror(errno));
		return -1;
	}
	if (S_ISDIR(st.st_mode))
		return replay_directory(path, count);
	++*count;
	return replay_file(path, (size_t)st.st_size);
}

int main(int argc, char **argv)
{
	unsigned int count = 0;
	int failed = 0;

	for (int i = 1; i < argc; i++)
		failed |= replay_path(argv[i], &count);
	printf("%u inputs\n", count);
	return failed || !count;
}
