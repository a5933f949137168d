#!/bin/sh
# Prints the npm tag of a release: sh tools/release/dist-tag.sh TAG. It is "latest" unless a newer version is tagged in
# this repository: a patch of an older minor release must not become what people get who name no version.
set -eu
newest=$(git tag --list 'v*.*.*' --sort=-version:refname | head -n 1)
if [ "$newest" = "$1" ]; then
  echo latest
else
  version=${1#v}
  echo "release-${version%.*}"
fi
