#!/bin/bash
# SPDX-License-Identifier: MIT
#
# openssl: keys, requests, signatures and digests.
# needs: openssl
# case: crypto

openssl genpkey -algorithm ed25519 -out k && openssl pkey -in k -pubout -out p
echo text >t
openssl pkeyutl -sign -rawin -inkey k -in t -out s && openssl pkeyutl -verify -rawin -pubin -inkey p -in t -sigfile s
openssl dgst -sha3-256 t
openssl req -new -key k -subj /CN=a -out r && openssl req -in r -noout -subject
openssl enc -aes-256-ctr -pbkdf2 -k a -in t | openssl enc -d -aes-256-ctr -pbkdf2 -k a
