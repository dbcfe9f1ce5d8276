package payload

import "github.com/miniserver-go/miniserver/internal/command"

// The error sentences of payloads, in the words of Redis 7.0.
const (
	errBusyKey    = command.Error("BUSYKEY Target key name already exists.")
	errTTL        = command.Error("ERR Invalid TTL value, must be >= 0")
	errIdleTime   = command.Error("ERR Invalid IDLETIME value, must be >= 0")
	errFreq       = command.Error("ERR Invalid FREQ value, must be >= 0 and <= 255")
	errPayload    = command.Error("ERR DUMP payload version or checksum are wrong")
	errBadPayload = command.Error("ERR Bad data format")

	errMigrateKeys = command.Error("ERR When using MIGRATE KEYS option, " +
		"the key argument must be set to the empty string")
	errMigrateDial    = command.Error("IOERR error or timeout connecting to the client")
	errMigrateWrite   = command.Error("IOERR error or timeout writing to target instance")
	errMigrateRead    = command.Error("IOERR error or timeout reading to target instance") // sic
	errMigrateRefused = "ERR Target instance replied with error: %s"
)
