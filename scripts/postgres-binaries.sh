# shellcheck shell=bash
# Where the newest installed PostgreSQL server is, and whose identity it takes; meant to be sourced. Sets `binaries`, its
# directory, after an installation where there is none, and `user` and `become`, what a command of the server begins with: it
# refuses to run as root, so root lends it the identity of a system user. Otherwise it runs as the caller.

postgres_scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# Prints the directory of the newest installed server; fails when there is none.
find_binaries() {
    local found
    found=$(find /usr/lib/postgresql -mindepth 3 -maxdepth 3 -path '*/bin/postgres' 2>/dev/null | sort -V | tail -n 1)
    [[ -n "$found" ]] || found=$(command -v postgres || true)
    [[ -n "$found" ]] && dirname "$(readlink -f "$found")"
}

# Debian's package makes and starts a cluster of its own on port 5432 unless it is told not to.
install_postgres() {
    local as_root=()
    [[ $EUID -eq 0 ]] || as_root=(sudo)
    "$postgres_scripts/apt-install.sh" postgresql-common
    "${as_root[@]}" sed -i -E 's/^#?\s*create_main_cluster\s*=.*/create_main_cluster = false/' \
        /etc/postgresql-common/createcluster.conf || true
    "$postgres_scripts/apt-install.sh" postgresql
}

binaries=$(find_binaries) || { install_postgres; binaries=$(find_binaries); }

user=$(id -un)
become=()
if [[ $EUID -eq 0 ]]; then
    user=nobody
    if id postgres >/dev/null 2>&1; then user=postgres; fi
    become=(setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups)
fi
