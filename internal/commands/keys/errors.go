package keys

import (
	"github.com/miniserver-go/miniserver/internal/command"
)

// Errors in the words of Redis and, for members, of KeyDB.

// Databases.
const (
	errDBIndex  = command.Error("ERR DB index is out of range")
	errFirstDB  = command.Error("ERR invalid first DB index")
	errSecondDB = command.Error("ERR invalid second DB index")
)

// errSameKey is an error of COPY and MOVE.
const errSameKey = command.Error("ERR source and destination objects are the same")

// EXPIREMEMBER; TTL and PERSIST of a member.
const (
	errMemberArgs = command.Error("ERR Invalid number of arguments")
	errMemberUnit = command.Error("ERR Invalid unit arg")
	errMemberType = command.Error("ERR object type is unsupported")
	errMemberTTL  = command.Error("ERR Invalid arguments")
)

// errTypeName is an error of SCAN.
const errTypeName = "ERR unknown type name '%s'"

// CLUSTERSCAN.
const (
	errNoCluster  = command.Error("ERR This instance has cluster support disabled")
	errCursor     = command.Error("ERR Invalid cursor")
	errCursorSlot = command.Error("ERR Cursor slot mismatch with SLOT argument")
	errSlotTwice  = command.Error("ERR SLOT option can only be specified once")
	errSlotRange  = command.Error("ERR Invalid or out of range slot")
)

// SORT.
const (
	errSortNumber  = command.Error("ERR One or more scores can't be converted into double")
	errSortDenied  = "ERR %s option of SORT denied due to insufficient ACL permissions."
	errSortPattern = "ERR %s option of SORT denied in Cluster mode when keys formed by the pattern may be in " +
		"different slots."
)

// OBJECT.
const (
	errIdleUnderLFU = command.Error("ERR An LFU maxmemory policy is selected, idle time not tracked. " +
		"Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.")
	errFreqUnderLRU = command.Error("ERR An LFU maxmemory policy is not selected, access frequency not tracked. " +
		"Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.")
)
