#!/bin/sh
# Removes from installed production modules what a running program never reads: two thirds of their size.
#   prune-modules.sh NODE_MODULES
# Licences and notices stay, as their terms ask.
set -eu
modules=$1

# Types, for compilers.
rm -rf "$modules/@types" "$modules/undici-types"
find "$modules" -type f \( -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' \) -delete

# Source maps, for debuggers; documents, for people.
find "$modules" -type f -name '*.map' -delete
find "$modules" -type f -name '*.md' ! -iname 'licen[cs]e*' ! -iname 'notice*' -delete

# What packages publish beside their code. Only at the top of a package: deeper down such a name may be code.
find "$modules"/[!@]*/ "$modules"/@*/*/ -mindepth 1 -maxdepth 1 -type d \( -name test -o -name tests \
  -o -name benchmark -o -name benchmarks -o -name docs -o -name examples \) -exec rm -rf {} +

# Of Swagger UI's builds, `/docs` serves one.
find "$modules/swagger-ui-dist" -type f ! -name package.json ! -name absolute-path.js \
  ! -name swagger-ui-bundle.js ! -name swagger-ui.css ! -name favicon-32x32.png \
  ! -iname 'license*' ! -name 'swagger-ui-bundle.js.LICENSE.txt' ! -iname 'notice*' -delete
