package snapshot

// The error sentences of snapshots and payloads, in the words of Redis 7.0.
const (
	errSaving     = "ERR Background save already in progress"
	errOtherChild = "ERR Another child process is active (AOF?): can't BGSAVE right now. Use BGSAVE SCHEDULE in order to schedule a BGSAVE whenever possible."
	errSave       = "ERR"
	errReload     = "ERR Error trying to load the RDB dump, check server logs."
	errReloadArgs = "ERR DEBUG RELOAD only supports the MERGE, NOFLUSH and NOSAVE options."

	errPending  = "ERR SYNC and PSYNC are invalid with pending output"
	errNeedsEOF = "ERR Filtered replica requires EOF capability"
	errFailover = "ERR PSYNC FAILOVER can't be sent to a master."

	errBusyKey    = "BUSYKEY Target key name already exists."
	errTTL        = "ERR Invalid TTL value, must be >= 0"
	errIdleTime   = "ERR Invalid IDLETIME value, must be >= 0"
	errFreq       = "ERR Invalid FREQ value, must be >= 0 and <= 255"
	errPayload    = "ERR DUMP payload version or checksum are wrong"
	errBadPayload = "ERR Bad data format"

	errMigrateKeys    = "ERR When using MIGRATE KEYS option, the key argument must be set to the empty string"
	errMigrateDial    = "IOERR error or timeout connecting to the client"
	errMigrateWrite   = "IOERR error or timeout writing to target instance"
	errMigrateRead    = "IOERR error or timeout reading to target instance" // sic
	errMigrateRefused = "ERR Target instance replied with error: "
)
