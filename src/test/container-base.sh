#!/usr/bin/env bash
# Makes a base image for the node's Dockerfile from the JDK and the C libraries of this machine, where none can be
# fetched: container-base.sh IMAGE
#   DOCKER_HOST  the engine that is to have it
set -euo pipefail

[[ $# -eq 1 ]] || { echo "container-base.sh: name the image to make, as container-base.sh IMAGE" >&2; exit 2; }
image=$1
jlink=${JAVA_HOME:+$JAVA_HOME/bin/}jlink
# What a node's jars ask for, and sun.misc.Unsafe for Arrow and Netty.
modules=java.sql,java.naming,java.management,jdk.unsupported
# Those of the launcher.
programs=(bash dirname env head readlink sed)

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/{etc,opt,tmp,usr/bin}
# Of the root itself, too: the node is not root.
chmod 755 "$root"
chmod 1777 "$root/tmp"
ln -s usr/bin "$root/bin"

"$jlink" --add-modules "$modules" --strip-debug --no-header-files --no-man-pages --output "$root/opt/java"
# Classes as a JVM maps them, which a JDK has and a runtime that jlink made does not: Java starts in half the time.
"$root/opt/java/bin/java" -Xshare:dump >/dev/null
for program in "${programs[@]}"; do cp -L "$(command -v "$program")" "$root/usr/bin/"; done

# What all of these load, and DuckDB, each at its own path.
libraries() {
  ldd "$root"/usr/bin/* "$root"/opt/java/bin/java "$root"/opt/java/lib/{,server/}*.so "${of_duckdb[@]}" 2>/dev/null |
    awk '$2 == "=>" && $3 ~ /^\// { print $3 } $1 ~ /^\// && $2 ~ /^\(/ { print $1 }'
  printf '%s\n' "${of_duckdb[@]}"
}
mapfile -t of_duckdb < <(
  ldconfig -p | awk '/lib(stdc\+\+\.so\.6|gcc_s\.so\.1|dl\.so\.2|pthread\.so\.0|rt\.so\.1|m\.so\.6) / && !seen[$1]++ { print $NF }'
)
libraries | sort -u | while read -r library; do
  case $library in "$root"/*) continue ;; esac
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done

tar -C "$root" --owner=0 --group=0 --numeric-owner -c . |
  docker import --change 'ENV JAVA_HOME=/opt/java' --change 'ENV PATH=/opt/java/bin:/usr/bin' - "$image"
