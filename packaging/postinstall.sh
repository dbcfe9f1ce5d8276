#!/bin/sh
# After the package was installed or upgraded: systemd reads the unit, and a running service is the new program.
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  systemctl try-restart miniserver.service
fi
echo "miniserver: to start it as a service: systemctl enable --now miniserver"
