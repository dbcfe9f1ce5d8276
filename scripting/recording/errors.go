package recording

const (
	errRecording    = "ERR SCRIPT %s was started already"
	errNotRecording = "ERR SCRIPT %s is not started"
	errNotRecorded  = "ERR SCRIPT %s has nothing to report: it was never started"
)
