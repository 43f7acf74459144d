#!/bin/bash
# SPDX-License-Identifier: MIT
#
# git: commits, branches, a merge, gc, fsck, a clone.
# needs: git
# case: crypto

export GIT_AUTHOR_DATE='1000000000 +0000' GIT_COMMITTER_DATE='1000000000 +0000' GIT_CONFIG_NOSYSTEM=1
git config --global user.name a; git config --global user.email a@b; git config --global init.defaultBranch main
git init -q r && cd r || exit 1
for i in $(seq 1 15); do seq "$i" 300 >"f$i"; git add .; git commit -qm "c$i"; done
git checkout -qb side HEAD~5; echo side >s; git add s; git commit -qm side; git checkout -q main; git merge -q --no-edit side
git log --format='%h %s' | sha256sum
git gc -q; git fsck --no-progress 2>&1 | grep -v '^dangling'
git clone -q . ../c && git -C ../c rev-parse HEAD; git diff --stat HEAD~3 | tail -n 1; git archive HEAD | sha256sum
