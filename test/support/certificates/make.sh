#!/bin/sh
# Makes the certificates that the TLS tests use, good for a hundred years; the authority's key is thrown away.
set -eu
cd "$(dirname "$0")"
key="$(mktemp)"
trap 'rm -f "$key" request.pem authority.srl' EXIT
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500 -keyout "$key" -out authority.pem \
  -subj '/CN=Test authority of Unified Media'
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout server-key.pem -out request.pem -subj '/CN=media.test'
printf 'subjectAltName=DNS:media.test,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n' |
  openssl x509 -req -in request.pem -CA authority.pem -CAkey "$key" -CAcreateserial -days 36500 -extfile /dev/stdin -out server.pem
