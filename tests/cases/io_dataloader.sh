#!/bin/bash
# A DataLoader over files, with workers and without: reads by file and process are exact, and the steps have their time.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_torch eager
cat >train.py <<'END'
import os, sys, torch

samples, epochs, workers = 40, 3, int(sys.argv[1])
for index in range(samples):
    with open("sample%d.bin" % index, "wb", buffering=0) as file:
        file.write(bytes(1000))


class Files(torch.utils.data.Dataset):
    def __len__(self):
        return samples

    def __getitem__(self, index):
        fd = os.open("labels.txt", os.O_RDONLY)  # again for every sample
        os.read(fd, 10)
        os.close(fd)
        fd = os.open("sample%d.bin" % index, os.O_RDONLY)
        data = os.read(fd, 4096)
        os.close(fd)
        return torch.frombuffer(bytearray(data), dtype=torch.uint8).float()


with open("labels.txt", "w") as file:
    file.write("x" * 100)
net = torch.nn.Linear(1000, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=1e-6)
for epoch in range(epochs):
    for batch in torch.utils.data.DataLoader(Files(), batch_size=8, num_workers=workers):
        optimizer.zero_grad()
        net(batch).sum().backward()
        optimizer.step()
END
for workers in 0 2; do
	INTERCEPT_TRACE=+io,-alloc INTERCEPT_OUTPUT=$PWD/run$workers.evt LD_PRELOAD=$LIB "$PYTHON" train.py $workers >/dev/null ||
		fail "train.py fails with $workers workers"
	expect "run$workers.evt" 'sum(r.bytes_read for r in io.rows if r.file.endswith(".bin")) == 40 * 3 * 1000' \
		'all(r.opens == 4 and r.reads == 3 and r.kind == "file" for r in io.rows if r.file.endswith(".bin"))' \
		'sum(r.file.endswith(".bin") for r in io.rows) == 40' \
		'[(r.opens, r.reads, r.bytes_read) for r in io.rows if r.file.endswith("/labels.txt")] == [(121, 120, 1200)]' \
		'len(steps.rows) == 15 and all(r.io_ns > 0 for r in steps.rows)' \
		'summary.totals.events_lost == 0'
done
# who read them: the main process alone, below the DataLoader's next; or each of the workers of each epoch
expect run0.evt 'sum(r.opens for r in io("--by", "op").rows if "DataLoader" in r.op and r.kind == "file") == 2 * 120'
expect run2.evt 'sum(r.name == "pt_data_worker" and r.kind == "file" for r in io("--by", "process").rows) == 6' \
	'sum(r.opens for r in io("--by", "process").rows if r.name == "pt_data_worker" and r.kind == "file") >= 2 * 120'
# a column without the family is empty
INTERCEPT_TRACE=-alloc INTERCEPT_OUTPUT=$PWD/without.evt LD_PRELOAD=$LIB "$PYTHON" train.py 0 >/dev/null
expect without.evt 'all(r.io_ns is None for r in steps.rows)' 'io.rows == []'
expect_eq "advice on files that were not recorded" \
	"$(json bottleneck without.evt '[r["id"] for r in rows if r["id"] in ("small_reads", "reopened_files", "dataloader_files")]')" "[]"
