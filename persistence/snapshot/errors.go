package snapshot

import (
	"github.com/miniserver-go/miniserver/internal/command"
)

// The error sentences of snapshots, in the words of Redis 7.0.
const (
	errSaving     = command.Error("ERR Background save already in progress")
	errOtherChild = command.Error("ERR Another child process is active (AOF?): can't BGSAVE right now. " +
		"Use BGSAVE SCHEDULE in order to schedule a BGSAVE whenever possible.")
	errNotSaving   = command.Error("ERR Background saving is currently not in progress or scheduled")
	errSave        = command.Error("ERR")
	errReload      = command.Error("ERR Error trying to load the RDB dump, check server logs.")
	errReloadArgs  = command.Error("ERR DEBUG RELOAD only supports the MERGE, NOFLUSH and NOSAVE options.")
	errReloadGroup = command.Error("ERR In a group DEBUG RELOAD has no options: its members must have the same data.")
)
