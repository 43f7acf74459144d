# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# fake_gpu PROGRAM BUILD: the variables with which the program runs over the fake CUDA, one a line; nothing for those that need
# no GPU (no `# gpu:` line, see gpu_training.py).

fake_gpu() { # PROGRAM BUILD
	local words library libraries=
	words=$(sed -n 's/^# gpu: //p' "$1")
	[[ $words ]] || return 0
	for library in libcudart.so.13 libcuda.so.1 libcublas.so.13 libcublasLt.so.13 libcupti.so.13; do
		libraries+=:$2/fake/$library
	done
	printf '%s\n' "FAKE_LIBRARIES=${libraries#:}" "FAKE_CUDA_KERNELS=${words%% *}"
	[[ $words != *' '* ]] || tr ' ' '\n' <<<"${words#* }"
}

# fake_nvml PROGRAM BUILD: the folder with the fake CUDA for it: BUILD, or where it has a `# nvml:` line a copy with that script
# (tests/fake/nvml.c), which the caller removes.
fake_nvml() { # PROGRAM BUILD
	local words folder
	words=$(sed -n 's/^# nvml: //p' "$1")
	if [[ ! $words ]]; then
		echo "$2"
		return
	fi
	folder=$(mktemp -d)
	mkdir "$folder/fake"
	cp "$2"/fake/*.so* "$folder/fake/"
	echo "$words" >"$folder/fake/nvml.script"
	echo "$folder"
}
