package tracking

import "github.com/miniserver-go/miniserver/internal/command"

// The errors have the texts of Redis.
const (
	errOneRedirect = command.Error("ERR A client can only redirect to a single other client")
	errNoRedirect  = command.Error("ERR The client ID you want redirect to does not exist")
	errPrefixBcast = command.Error("ERR PREFIX option requires BCAST mode to be enabled")
	errSwitchBcast = command.Error("ERR You can't switch BCAST mode on/off before disabling tracking for this " +
		"client, and then re-enabling it with a different mode.")
	errOptBcast  = command.Error("ERR OPTIN and OPTOUT are not compatible with BCAST")
	errOptBoth   = command.Error("ERR You can't specify both OPTIN mode and OPTOUT mode")
	errSwitchOpt = command.Error("ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, " +
		"and then re-enabling it with a different mode.")
	errPrefixOld = "ERR Prefix '%s' overlaps with an existing prefix '%s'. " +
		"Prefixes for a single client must not overlap."
	errPrefixNew = "ERR Prefix '%s' overlaps with another provided prefix '%s'. " +
		"Prefixes for a single client must not overlap."
	errCachingOff = command.Error("ERR CLIENT CACHING can be called only when the client is in tracking mode with " +
		"OPTIN or OPTOUT mode enabled")
	errCachingYes = command.Error("ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.")
	errCachingNo  = command.Error("ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.")
)
