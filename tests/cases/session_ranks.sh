#!/bin/bash
# Files of ranks: named by %r, found by their session's id, removed with it, missed when one is alone; copies count once.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

cat >launch.py <<'END'
# Starts two ranks, as torchrun does: it has no rank itself.
import os, subprocess, sys
program = "import sys; x = [bytearray(4444) for _ in range(25)]"
ranks = [subprocess.Popen([sys.executable, "-c", program], env=dict(os.environ, RANK=str(rank), WORLD_SIZE="2")) for rank in range(2)]
sys.exit(max(rank.wait() for rank in ranks))
END
python=$(python3 -c "import sys; print(sys.executable)") # not a launcher of its version
launch() { # NAME
	INTERCEPT_OUTPUT=$1 LD_PRELOAD=$LIB "$python" launch.py 2>err || fail "$(cat err)"
	[[ ! -s err ]] || fail "we said something: $(cat err)"
	written
}
settled() { # FILES...: what is too much goes when the program is gone
	for ((i = 0; i < looks; i++)); do
		[[ $(find . -name '*.evt*' -printf '%f\n' | sort | tr '\n' ' ') == "$* " ]] && return
		sleep 0.05
	done
	expect_eq "files" "$(find . -name '*.evt*' -printf '%f\n' | sort | tr '\n' ' ')" "$* "
}

# The launcher is not rank 0, and each of the files leads to all of them.
launch 'ddp.%r.evt'
settled ddp.0.evt ddp.1.evt ddp.norank.evt
for file in ddp.0.evt ddp.1.evt ddp.norank.evt; do
	expect "$PWD/$file" 'len(processes.rows) == 3' 'sized(4445) == 50' \
		'sorted(str(row.rank) for row in processes.rows) == ["0", "1", "None"]'
	"$REPORT" "$file" >out 2>err
	expect_match "ranks in the summary" "$(tr '\n' ' ' <out)" ' Ranks 0 and 1 of 2\. '
	expect_eq "what is said of $file" "$(cat err)" ''
done

# Advice for several ranks says which of them its environment is that of, and how the others are seen.
bottleneck() { # ARGUMENT...
	COLUMNS=300 "$REPORT" bottleneck "$ROOT/tests/truth/recordings/good_ranks.evt" "$@" >out 2>err || fail "status $? ($(cat err))"
	grep '^ranks' out || true
}
expect_match "ranks of an advice" "$(bottleneck)" '^ranks +0 and 1 of 2; what stands above, and the times from import to end, are those of rank 1 \(pid [0-9]+\); --rank 0 shows rank 0$'
expect_eq "ranks of one" "$(bottleneck --rank 0)" ''
expect_match "environment of one" "$(cat out)" 'RANK=0'

# One alone says so; a copy beside it is not added up, nor one that is named.
mkdir alone
cp ddp.norank.evt alone/x.evt
"$REPORT" processes alone/x.evt >out 2>err || fail "status $?"
expect_eq "what is said of one alone" "$(cat err)" \
	'prof-report: 1 of the 3 files of this session is here; the processes of the other 2 are not in what is shown'
cp ddp.1.evt alone/y.evt
rm alone/x.evt
"$REPORT" processes alone/y.evt >out 2>err || fail "status $?"
expect_eq "what is said of one rank alone" "$(cat err)" 'prof-report: rank 0 of 2 is not in what is shown'
mv alone/y.evt alone/x.evt
for rank in 0 1 0..1 1..7; do
	count=$(json processes "$PWD/ddp.1.evt" '[row["rank"] for row in rows]' --rank $rank)
	[[ $rank == 0..1 ]] && wanted='[0, 1]' || wanted="[${rank%%.*}]"
	expect_eq "ranks of --rank $rank" "$(tr -d '\n' <<<"$count" | python3 -S -c 'print(sorted(eval(input())))')" "$wanted"
done
expect_eq "blocks of rank 1" "$(json alloc "$PWD/ddp.0.evt" 'sum(row["allocations"] for row in rows if row["size"] == "up to 8 KiB")' --by size --rank 1 2>/dev/null)" \
	"$(json alloc "$PWD/ddp.0.evt" 'sum(row["allocations"] for row in rows if row["size"] == "up to 8 KiB")' --by size \
		--process "$(json processes "$PWD/ddp.0.evt" 'row(rank=1)["pid"]')")"
for wrong in x -1 2..1 1.. ..; do
	"$REPORT" processes --rank=$wrong ddp.0.evt >out 2>err
	expect_eq "status of --rank=$wrong" $? 2
done
"$REPORT" processes --rank 5 ddp.0.evt >out 2>err
expect_match "a rank that is not there" "$(cat err)" '--rank: there is none of these'
# The variables of Slurm number ranks, too, but not where torchrun has: there they number its launchers.
mkdir slurm
SLURM_PROCID=3 SLURM_NTASKS=4 INTERCEPT_OUTPUT=slurm/a.%r.evt LD_PRELOAD=$LIB "$python" -c 1
expect "$PWD/slurm/a.3.evt" 'processes.rows[0].rank == 3'
SLURM_PROCID=3 SLURM_NTASKS=4 INTERCEPT_OUTPUT=$PWD/slurm/b.%r.evt LD_PRELOAD=$LIB "$python" launch.py
expect "$PWD/slurm/b.3.evt" 'sorted(str(row.rank) for row in processes.rows) == ["0", "1", "None"]'
rm -r slurm
cp ddp.0.evt good.evt
cp ddp.0.evt ddp.0.copy.evt
expect "$PWD/ddp.0.evt" 'len(processes.rows) == 3' 'sized(4445) == 50'
expect_eq "rows with a copy named" "$("$REPORT" processes --format csv ddp.0.evt good.evt | wc -l)" 4
# One that another user has made with the same session's id does not get in.
if ((EUID == 0)); then
	python3 -S - <<'END'
data = bytearray(open("ddp.1.evt", "rb").read())
open("alone/forged.evt", "wb").write(data)
END
	chown 12345 alone/forged.evt
	expect "$PWD/alone/x.evt" 'len(processes.rows) == 1'
fi
rm -rf alone ./*.evt

# Whole sessions go: three runs, of which one earlier one is kept.
export INTERCEPT_KEEP=1
launch run.evt
mapfile -t first < <(find . -name 'run.*.evt' -printf '%f\n')
expect_eq "files of the ranks" "${#first[@]}" 2
launch run.evt
mapfile -t second < <(find . -name 'run.*.evt' -printf '%f\n' | grep -vxF "${first[0]}" | grep -vxF "${first[1]}")
launch run.evt
mapfile -t third < <(find . -name 'run.*.evt' -printf '%f\n' | grep -vxF "${second[0]}" | grep -vxF "${second[1]}" |
	grep -vxF "${first[0]}" | grep -vxF "${first[1]}")
mapfile -t wanted < <(printf '%s\n' run.evt run.evt.1 "${second[@]}" "${third[@]}" | sort)
settled "${wanted[@]}"
expect "$OUTPUT" 'len(processes.rows) == 3'
expect "$OUTPUT.1" 'len(processes.rows) == 3'

# Also of a run whose first file is gone; one of which the user has named a file stays.
mv run.evt.1 mine.evt
launch run.evt
launch run.evt
for ((i = 0; i < looks; i++)); do
	[[ -e ${third[0]} || -e ${third[1]} ]] || break
	sleep 0.05
done
for file in mine.evt "${second[@]}"; do [[ -e $file ]] || fail "$file is gone"; done
expect "$PWD/mine.evt" 'len(processes.rows) == 3'
[[ ! -e ${third[0]} && ! -e ${third[1]} ]] || fail "ranks of a run that is gone are there: $(ls)"
rm mine.evt
launch run.evt
for ((i = 0; i < looks; i++)); do
	[[ -e ${second[0]} || -e ${second[1]} ]] || break
	sleep 0.05
done
[[ ! -e ${second[0]} && ! -e ${second[1]} ]] || fail "ranks of a run whose first file is gone are there: $(ls)"

# Runs at the same time: none of them is an earlier one of another.
rm -f ./*.evt*
pids=()
mkfifo held
exec 7<>held # each of them waits for a line
for i in 1 2 3 4; do
	INTERCEPT_KEEP=0 INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB "$python" -c "import os; os.read(0, 1)" <held &
	pids+=($!)
done
four_files() {
	(($(find . -name '*.evt*' | wc -l) == 4))
}
eventually "the files of all four" four_files
printf '\n\n\n\n' >&7
wait "${pids[@]}"
written
expect_eq "files of four runs at once" "$(find . -name '*.evt*' | wc -l)" 4

# Faults in several files: the line about the first says that there are others.
mkdir cut
for file in "$ROOT"/tests/truth/recordings/good_ranks*.evt; do head -c $(($(stat -c %s "$file") * 2 / 3)) "$file" >"cut/${file##*/}"; done
"$REPORT" ops cut/good_ranks.evt >out 2>err
expect_eq "status of cut files" $? 1
expect_match "what is said of them" "$(cat err)" "^prof-report: 'cut/good_ranks.evt': offset .*; 5 more, in other files too: prof-report check$"
