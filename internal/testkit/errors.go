package testkit

import (
	"github.com/miniserver-go/miniserver/internal/command"
)

// The errors of this package. The untyped ones are formats.
const (
	errAdvanceBack = command.Error("ERR the clock does not advance by a negative time, " +
		"MINI.CLOCK SET sets it back")
	errUnblocked = command.Error("UNBLOCKED the reply was not complete yet")
	errTime      = command.Error("ERR time is neither an integer between 0 and 253402300799999 milliseconds " +
		"nor a date between 1970 and 9999, such as 2030-01-31T12:00:00Z")
	errLastTime      = command.Error("ERR the clock ends with the year 9999")
	errDuration      = "ERR '%s' is no duration in whole milliseconds, such as 250, 250ms, 1.5s, 1h30m or 10d"
	errDurationRange = "ERR duration %s is not between %d and 86400000 milliseconds"
	errTimeout       = "TIMEOUT after %d milliseconds: waited for %s, found %s"
	errNoTimeout     = command.Error("ERR MINI.WAITFOR needs TIMEOUT and a duration at its end")
	errWaitCount     = command.Error("ERR count is not an integer between 0 and 2147483647")
	errNoMark        = "ERR there is no mark '%s', MINI.LEAKS MARK sets it"
	errManyMarks     = command.Error("ERR there are 64 marks, and no more are possible")
	errSeed          = command.Error("ERR seed is not an integer between 0 and 9223372036854775807")
	errScaleRange    = command.Error("ERR the scale of the clock must be between 0.000001 and 1000000, " +
		"MINI.CLOCK FREEZE stops it")
	errWorldName = command.Error("ERR a world's name has 1 to 128 printable characters of ASCII, " +
		"no spaces among them")
	errNoWorld            = "ERR there is no world '%s'"
	errNoWorldNorSnapshot = "ERR there is no world or snapshot '%s'"
	errDropDefault        = command.Error("ERR the world of new connections cannot be dropped, " +
		"MINI.WORLD RESET empties it")
	errDropNode   = command.Error("ERR the world is a node of a cluster, MINI.CLUSTER KILL ends it")
	errWorldInUse = "ERR world '%s' has %d clients"
	errOwned      = "ERR worlds '%s-*' have another owner"
	errFaultID    = command.Error("ERR a fault's id has 1 to 128 printable characters of ASCII, no spaces among them")
	errFaultThere = "ERR there is a fault '%s' already"
	errNoFault    = "ERR there is no fault '%s'"
	errFaultOn    = command.Error("ERR a fault needs ON, then ANY or one or more of COMMAND, KEY, " +
		"CLIENT, ID, ADDR, LIB-NAME and USER with a value each, then DO and its effect")
	errClientID     = command.Error("ERR client-id is not an integer")
	errTwice        = "ERR %s is there twice"
	errFaultCommand = "ERR there is no command '%s'"
	errFaultImmune  = "ERR no fault strikes '%s': commands of the test kit, " +
		"and those that a client sends before it is logged in, always work"
	errFaultAddress = "ERR '%s' is no address, such as 127.0.0.1:6379"
	errFaultDo      = command.Error("ERR a fault needs DO and its effect")
	errFaultEffect  = "ERR there is no effect '%s', MINI.HELP lists them"
	errFaultText    = command.Error("ERR the text of an error is empty")
	errFaultProb    = command.Error("ERR PROB is not a number above 0 and up to 1")
	errFaultCount   = command.Error("ERR count is not an integer above 0")
	errFaultNever   = "ERR this fault never strikes '%s'"
	errMishap       = command.Error("ERR an outage is REFUSE, HANG, CUT or DOWN")
	errOutageOn     = command.Error("ERR ON needs one or more of CLIENT, ID, ADDR, LIB-NAME and USER with a value each")
	errOutageDown   = command.Error("ERR DOWN strikes all clients, so ON does not go with it")
	errOutageAlone  = command.Error("ERR no client could connect to end it: give FOR, or be an operator, who can")
	errOutageThere  = "ERR there is an outage already, %s, and MINI.OUTAGE END ends it"
	errChaosSwitch  = command.Error("ERR MINI.CHAOS takes ON or OFF")
	errNoSnapshot   = "ERR there is no snapshot '%s'"
	errWorldThere   = "ERR there is a world '%s' already"
	errNoMaster     = command.Error("ERR No such master with that name")
	errNoReplica    = command.Error("NOGOODSLAVE No suitable replica to promote")
	errPropagates   = command.Error("ERR the world of new connections cannot be restored while it has a journal, " +
		"replicas or a running BGSAVE")
)
