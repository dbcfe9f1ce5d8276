package snapshot

import "github.com/miniserver-go/miniserver/engine"

// The error sentences of snapshots and payloads, in the words of Redis 7.0.
const (
	errSaving      = engine.Error("ERR Background save already in progress")
	errOtherChild  = engine.Error("ERR Another child process is active (AOF?): can't BGSAVE right now. Use BGSAVE SCHEDULE in order to schedule a BGSAVE whenever possible.")
	errNotSaving   = engine.Error("ERR Background saving is currently not in progress or scheduled")
	errSave        = engine.Error("ERR")
	errReload      = engine.Error("ERR Error trying to load the RDB dump, check server logs.")
	errReloadArgs  = engine.Error("ERR DEBUG RELOAD only supports the MERGE, NOFLUSH and NOSAVE options.")
	errReloadGroup = engine.Error("ERR In a group DEBUG RELOAD has no options: its members must have the same data.")

	errBusyKey    = engine.Error("BUSYKEY Target key name already exists.")
	errTTL        = engine.Error("ERR Invalid TTL value, must be >= 0")
	errIdleTime   = engine.Error("ERR Invalid IDLETIME value, must be >= 0")
	errFreq       = engine.Error("ERR Invalid FREQ value, must be >= 0 and <= 255")
	errPayload    = engine.Error("ERR DUMP payload version or checksum are wrong")
	errBadPayload = engine.Error("ERR Bad data format")

	errMigrateKeys    = engine.Error("ERR When using MIGRATE KEYS option, the key argument must be set to the empty string")
	errMigrateDial    = engine.Error("IOERR error or timeout connecting to the client")
	errMigrateWrite   = engine.Error("IOERR error or timeout writing to target instance")
	errMigrateRead    = engine.Error("IOERR error or timeout reading to target instance") // sic
	errMigrateRefused = "ERR Target instance replied with error: %s"
)
