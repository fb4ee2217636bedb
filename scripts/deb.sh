#!/usr/bin/env bash
# Makes a Debian package of a binary: target/dist/trunkline_VERSION_ARCHITECTURE.deb. With --check it is installed into a fresh
# Debian of its own (root and debootstrap), by dpkg, the binary in it is run, and it is removed again.
#
#   scripts/dist.sh && scripts/deb.sh target/dist/trunkline
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

binary=$(readlink -f "${1:-target/dist/trunkline}")
version=$("$binary" --version | cut -d' ' -f2)
architecture=$(dpkg --print-architecture)
out=target/dist/trunkline_${version}_${architecture}.deb

work=$(mktemp -d "${TMPDIR:-/tmp}/trunkline-deb.XXXXXXXX")
trap 'rm -rf "$work"' EXIT
root=$work/root
install -D -m 0755 "$binary" "$root/usr/bin/trunkline"
[[ $binary == */dist/* ]] || strip "$root/usr/bin/trunkline"
install -D -m 0644 docker/systemd/trunkline.service "$root/usr/lib/systemd/system/trunkline.service"
install -D -m 0640 docker/debian/environment "$root/etc/trunkline/environment"
install -D -m 0644 config/default.toml "$root/usr/share/doc/trunkline/default.toml"
install -D -m 0644 LICENSE "$root/usr/share/doc/trunkline/copyright"
for shell in bash:bash-completion/completions/trunkline zsh:zsh/vendor-completions/_trunkline fish:fish/vendor_completions.d/trunkline.fish; do
    file=$root/usr/share/${shell#*:}
    mkdir -p "$(dirname "$file")"
    "$binary" completion "${shell%%:*}" >"$file"
done
"$binary" man "$root/usr/share/man/man1"
gzip -9n "$root"/usr/share/man/man1/*.1
install -D -m 0755 docker/debian/postinst "$root/DEBIAN/postinst"
install -D -m 0755 docker/debian/prerm "$root/DEBIAN/prerm"
install -D -m 0755 docker/debian/postrm "$root/DEBIAN/postrm"
echo /etc/trunkline/environment >"$root/DEBIAN/conffiles"
# The oldest glibc whose symbols the binary names.
glibc=$(objdump -T "$root/usr/bin/trunkline" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
# What the client of Kafka links, where it is in the binary.
of_kafka() {
    local needed
    needed=$(objdump -p "$root/usr/bin/trunkline" | awk '$1 == "NEEDED" { print $2 }')
    if grep -q '^libssl\.so\.3$' <<<"$needed"; then echo -n ", libssl3"; fi
    if grep -q '^libz\.so\.1$' <<<"$needed"; then echo -n ", zlib1g"; fi
}
cat >"$root/DEBIAN/control" <<CONTROL
Package: trunkline
Version: $version
Architecture: $architecture
Maintainer: Trunkline <maintainers@trunkline.invalid>
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Depends: libc6 (>= ${glibc#GLIBC_}), libgcc-s1, passwd$(of_kafka)
Recommends: ca-certificates
Section: admin
Priority: optional
Description: job queues and durable workflows in one binary
 Runs on an embedded SQLite file, or on many nodes with one PostgreSQL database. The service
 is installed and not started; its settings are in /etc/trunkline/environment.
CONTROL
mkdir -p target/dist
dpkg-deb --root-owner-group --build "$root" "$out" >/dev/null
echo "$out: $(($(stat -c %s "$out") / 1024 / 1024)) MiB"

if [[ ${2:-} == --check ]]; then
    command -v debootstrap >/dev/null || scripts/apt-install.sh debootstrap
    debian=$work/debian
    mkdir "$debian"
    debootstrap --variant=minbase --include=libssl3,zlib1g bookworm "$debian" >"$work/debootstrap.log" 2>&1 || { tail "$work/debootstrap.log" >&2; exit 1; }
    cp "$out" "$debian/trunkline.deb"
    chroot "$debian" dpkg --install /trunkline.deb
    chroot "$debian" id trunkline
    # With the settings that the service has.
    chroot "$debian" sh -euc 'set -a; . /etc/trunkline/environment; trunkline config check; trunkline config show' >"$work/settings"
    grep -q /var/lib/trunkline/trunkline.db "$work/settings"
    contents=$(dpkg-deb --contents "$out")
    for file in bin/trunkline lib/systemd/system/trunkline.service share/man/man1/trunkline.1.gz share/man/man1/trunkline-serve.1.gz \
        share/bash-completion/completions/trunkline share/zsh/vendor-completions/_trunkline \
        share/fish/vendor_completions.d/trunkline.fish share/doc/trunkline/default.toml; do
        grep -qF " ./usr/$file" <<<"$contents" || { echo "the package has no /usr/$file" >&2; exit 1; }
    done
    # Settings that people changed survive an installation of the same package.
    echo TRUNKLINE_HTTP=127.0.0.1:9 >>"$debian/etc/trunkline/environment"
    chroot "$debian" dpkg --install /trunkline.deb >/dev/null
    grep -q 127.0.0.1:9 "$debian/etc/trunkline/environment"
    # Without the file, too.
    rm "$debian/etc/trunkline/environment"
    chroot "$debian" dpkg --install /trunkline.deb >/dev/null
    [[ ! -e $debian/etc/trunkline/environment ]]
    chroot "$debian" dpkg --install --force-confmiss /trunkline.deb >/dev/null
    # What it holds may be secret, and the service must be able to read it.
    [[ $(chroot "$debian" stat --format '%U:%G %a' /etc/trunkline/environment) == "root:trunkline 640" ]]
    # A database is not the package's to remove.
    install -d "$debian/var/lib/trunkline" && touch "$debian/var/lib/trunkline/trunkline.db"
    chroot "$debian" dpkg --purge trunkline >/dev/null
    [[ ! -e $debian/usr/bin/trunkline && ! -e $debian/etc/trunkline/environment && -e $debian/var/lib/trunkline/trunkline.db ]]
    echo "installed, kept its settings, removed"
fi
