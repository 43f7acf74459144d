#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A tree through tar and gzip and back.
# needs: tar gzip
# case: archives

cp -rL /usr/share/zoneinfo/Europe t
tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf a.tar t
sha256sum <a.tar
gzip -9nk a.tar && sha256sum <a.tar.gz
mkdir u && tar -C u -xzf a.tar.gz && diff -r t u/t && echo same
