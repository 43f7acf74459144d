#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prints a virtual environment that has what docs/STARTING.md starts programs with: pytest, uvicorn, gunicorn,
# accelerate, Jupyter's nbconvert. It is ${XDG_CACHE_HOME:-~/.cache}/intercept/starting, made when it is not there
# (170 MB, versions of scripts/starting.txt); torch is that of scripts/find-python.sh. What it does goes to stderr.

die() {
	echo "starting-env: $*" >&2
	exit 1
}

cd "$(dirname "$0")/.." || exit 1
python=$(scripts/find-python.sh) || die "no Python with torch: scripts/python-env.sh installs one"
folder=${XDG_CACHE_HOME:-$HOME/.cache}/intercept/starting
mkdir -p "${folder%/*}" || die "cannot make '${folder%/*}'"

# Written last, so that an environment is either whole or made again: of which interpreter and list it is.
state=$(echo "$python"; cat scripts/starting.txt)

exec 9>"$folder.lock" || die "cannot write '$folder.lock'"
flock 9
if [ "$(cat "$folder/made-of" 2>/dev/null)" != "$state" ]; then
	echo "installing pytest, uvicorn, accelerate and Jupyter into '$folder' (170 MB, once)" >&2
	{
		rm -rf "$folder" && "$python" -m venv "$folder" &&
			"$python" -c 'import site; print("\n".join(site.getsitepackages()))' \
				>"$("$folder/bin/python" -c 'import site; print(site.getsitepackages()[0])')/torch.pth" &&
			"$folder/bin/python" -m pip install --disable-pip-version-check --no-cache-dir --no-deps \
				-r scripts/starting.txt
	} >&2 9>&- || die "cannot install into '$folder': see above (is there a network?)"
	echo "$state" >"$folder/made-of" || die "cannot write '$folder/made-of'"
fi
echo "$folder"
