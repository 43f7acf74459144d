#!/bin/bash
# SPDX-License-Identifier: MIT
#
# ffmpeg: a test picture, encoded, decoded and scaled with threads.
# needs: ffmpeg
# limit: 120

ffmpeg -nostdin -v error -f lavfi -i testsrc=size=160x120:rate=10:duration=2 -f lavfi -i sine=duration=2 -threads 2 -c:v mpeg4 -c:a flac -flags +bitexact -fflags +bitexact a.mkv; echo "status $?"
sha256sum <a.mkv
ffmpeg -nostdin -v error -i a.mkv -vf scale=80:60,hflip -f framemd5 - | tail -n 3
