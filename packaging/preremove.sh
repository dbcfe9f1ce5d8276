#!/bin/sh
# Before the package is removed: stops the service. An upgrade, which rpm tells by the argument 1 and dpkg by "upgrade", leaves it running.
case "$1" in
1 | upgrade) ;;
*) [ ! -d /run/systemd/system ] || systemctl disable --now miniserver.service ;;
esac
