/* SPDX-License-Identifier: MIT */
/* What python3's zipfile reads of an archive: small files, and ZIP64 from a lowered limit on. */
/* links: report */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "report/pack/zip.h"

#define FILES 70

static void write_file(const char *path, unsigned int lines)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	for (unsigned int i = 0; i < lines; i++)
		fprintf(file, "line %u\n", i);
	assert_int_equal(fclose(file), 0);
}

/* Files NAME of 0, 100, 200... lines, one stored, the next deflated. */
static void write_zip(const char *path, uint64_t wide_from, unsigned int files)
{
	int to = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct zip zip;
	char name[32];

	assert_true(to >= 0);
	zip_init(&zip, to);
	if (wide_from)
		zip.wide_from = wide_from;
	for (unsigned int i = 0; i < files; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		write_file("content", 100 * i);
		assert_int_equal(zip_add(&zip, name, "content", i % 2), 0);
	}
	assert_int_equal(zip_finish(&zip), 0);
	zip_release(&zip);
	assert_int_equal(close(to), 0);
}

/* The extra field of ZIP64 is there or not, as wanted. */
static int judge(const char *path, unsigned int files, const char *wide)
{
	char command[1024];

	snprintf(command, sizeof(command),
		 "python3 -c '\n"
		 "import sys, zipfile\n"
		 "path, files, wide = sys.argv[1:]\n"
		 "pack = zipfile.ZipFile(path)\n"
		 "assert pack.testzip() is None\n"
		 "assert pack.namelist() == [\"n%%d\" %% i for i in range(int(files))], "
		 "pack.namelist()\n"
		 "for i, entry in enumerate(pack.infolist()):\n"
		 "    want = \"\".join(\"line %%d\\n\" %% k for k in range(100 * i)).encode()\n"
		 "    assert pack.read(entry) == want, entry\n"
		 "    assert (entry.extract_version == 45) == (wide == \"wide\"), "
		 "entry.extract_version\n"
		 "assert (b\"PK\\6\\6\" in open(path, \"rb\").read()) == (wide == \"wide\")\n"
		 "' %s %u %s",
		 path, files, wide);
	return system(command);
}

TEST(small_archives_have_no_zip64)
{
	write_zip("small.zip", 0, FILES);
	assert_int_equal(judge("small.zip", FILES, "small"), 0);
}

TEST(large_ones_are_read_as_zip64)
{
	write_zip("wide.zip", 1, FILES);
	assert_int_equal(judge("wide.zip", FILES, "wide"), 0);
}

TEST(more_files_than_16_bits_count)
{
	int to = open("many.zip", O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct zip zip;
	char name[32];

	zip_init(&zip, to);
	write_file("content", 1);
	for (unsigned int i = 0; i < 65536; i++) {
		snprintf(name, sizeof(name), "%u", i);
		assert_int_equal(zip_add(&zip, name, "content", false), 0);
	}
	assert_int_equal(zip_finish(&zip), 0);
	zip_release(&zip);
	close(to);
	assert_int_equal(system("python3 -c 'import zipfile\n"
				"pack = zipfile.ZipFile(\"many.zip\")\n"
				"assert len(pack.namelist()) == 65536\n"
				"assert pack.read(\"65535\") == b\"line 0\\n\"'"),
			 0);
}

static int enter_folder(void **state)
{
	static char folder[] = "/tmp/test_zip.XXXXXX";

	*state = folder;
	return mkdtemp(folder) && !chdir(folder) ? 0 : -1;
}

static int leave_folder(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", (char *)*state);
	return chdir("/") || system(command);
}

TEST_GROUP(enter_folder, leave_folder)
