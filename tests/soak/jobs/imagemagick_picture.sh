#!/bin/bash
# SPDX-License-Identifier: MIT
#
# imagemagick: draw, blur, compare.
# needs: convert
# limit: 60

convert -size 200x200 gradient:red-blue -swirl 90 -blur 0x3 a.ppm; echo "status $?"
sha256sum <a.ppm
convert a.ppm -resize 50% -define png:exclude-chunks=date,time b.png && identify -format '%w %h %m\n' b.png
