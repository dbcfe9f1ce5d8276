package hotkeys

import "github.com/miniserver-go/miniserver/internal/command"

// Errors of HOTKEYS START, in Redis' words.
const (
	errActive       = command.Error("ERR hotkey tracking session already in progress")
	errStopFirst    = command.Error("ERR hotkey tracking session in progress, stop tracking first")
	errMetrics      = command.Error("ERR METRICS parameter is required")
	errMetricsCount = command.Error("ERR METRICS count must be > 0 and <= 2")
	errMetricsFew   = command.Error("ERR METRICS count does not match number of metric types provided")
	errMetricsNone  = command.Error("ERR METRICS no valid metrics passed. Supported: CPU|NET")
	errTwice        = "ERR METRICS %s defined more than once!"
	errCount        = command.Error("ERR COUNT must be between 1 and 64")
	errDuration     = command.Error("ERR DURATION must be between 1 and 1000000")
	errSample       = command.Error("ERR SAMPLE ratio must be positive")
	errNoCluster    = command.Error("ERR SLOTS parameter cannot be used in non-cluster mode")
	errSlotsTwice   = command.Error("ERR SLOTS parameter already specified")
	errSlotsCount   = command.Error("ERR SLOTS count must be between 1 and 16384")
	errSlotsFew     = command.Error("ERR not enough slot numbers provided")
	errSlot         = command.Error("ERR Invalid or out of range slot")
	errSlotTwice    = command.Error("ERR duplicate slot number")
)
