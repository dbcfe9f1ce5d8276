package snapshot

import (
	"github.com/miniserver-go/miniserver/internal/command"
)

// The error sentences of snapshots and payloads, in the words of Redis 7.0.
const (
	errSaving      = command.Error("ERR Background save already in progress")
	errOtherChild  = command.Error("ERR Another child process is active (AOF?): can't BGSAVE right now. Use BGSAVE SCHEDULE in order to schedule a BGSAVE whenever possible.")
	errNotSaving   = command.Error("ERR Background saving is currently not in progress or scheduled")
	errSave        = command.Error("ERR")
	errReload      = command.Error("ERR Error trying to load the RDB dump, check server logs.")
	errReloadArgs  = command.Error("ERR DEBUG RELOAD only supports the MERGE, NOFLUSH and NOSAVE options.")
	errReloadGroup = command.Error("ERR In a group DEBUG RELOAD has no options: its members must have the same data.")

	errBusyKey    = command.Error("BUSYKEY Target key name already exists.")
	errTTL        = command.Error("ERR Invalid TTL value, must be >= 0")
	errIdleTime   = command.Error("ERR Invalid IDLETIME value, must be >= 0")
	errFreq       = command.Error("ERR Invalid FREQ value, must be >= 0 and <= 255")
	errPayload    = command.Error("ERR DUMP payload version or checksum are wrong")
	errBadPayload = command.Error("ERR Bad data format")

	errMigrateKeys    = command.Error("ERR When using MIGRATE KEYS option, the key argument must be set to the empty string")
	errMigrateDial    = command.Error("IOERR error or timeout connecting to the client")
	errMigrateWrite   = command.Error("IOERR error or timeout writing to target instance")
	errMigrateRead    = command.Error("IOERR error or timeout reading to target instance") // sic
	errMigrateRefused = "ERR Target instance replied with error: %s"
)
