#!/bin/sh
# Makes all that a release publishes but the image, in .release: sh tools/release/assets.sh [TAG]
set -eu
version=$(node -p 'require("./package.json").version')
if [ "${1:-v$version}" != "v$version" ]; then
  echo "The tag is $1, but package.json has version $version." >&2
  exit 1
fi
npm run release -- linux-x64 linux-arm64 darwin-x64 darwin-arm64
assets=$PWD/.release/assets

# npm and PyPI verify that a package names the repository that publishes it.
[ -z "${GITHUB_REPOSITORY:-}" ] || node clients/set-address.mjs "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY"
npm pack ./clients/typescript --ignore-scripts=false --pack-destination "$assets"
node clients/python/types.mjs
python3 -m build --outdir "$assets" clients/python

# `npm sbom --omit=dev` also omits what a package for development needs as well.
sbom=.release/user-group-service
mkdir "$sbom"
cp package.json package-lock.json "$sbom"
(
  cd "$sbom"
  npm pkg delete devDependencies overrides
  npm install --package-lock-only --offline --silent
  npm sbom --package-lock-only --sbom-format=cyclonedx --sbom-type=application \
    > "$assets/user-group-service-$version.cdx.json"
  npm audit --package-lock-only --json > ../audit.json || true
)
rm -r "$sbom"

# For any web server: a folder for this version, one in all for the newest.
npm run docs
tar -czf "$assets/user-group-service-docs-$version.tar.gz" -C tools/site/dist .

# GitHub shows the notes outside of the repository, where links need an address.
links=${GITHUB_REPOSITORY:+$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/blob/v$version/}
awk -v heading="## [$version]" '/^## / { wanted = index($0, heading) == 1; next } wanted' CHANGELOG.md |
  sed "s,](docs/,]($links""docs/,g; s,](#,]($links""CHANGELOG.md#,g" > .release/notes.md
if ! grep -q . .release/notes.md; then
  echo "CHANGELOG.md has no notes of $version." >&2
  exit 1
fi
node tools/release/audit.mjs < .release/audit.json >> .release/notes.md

cd "$assets"
sha256sum -- * > ../SHA256SUMS
mv ../SHA256SUMS .
