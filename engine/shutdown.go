package engine

// shutdown is a SHUTDOWN that waits until the replicas have everything, at most shutdown-timeout. Writes wait meanwhile. So
// no write is lost when a replica takes over, and the replicas can go on with this server when it is back.
type shutdown struct {
	timeout  int64 // seconds, shutdown-timeout
	how      Shutdown
	deadline int64      // milliseconds since the epoch; 0 if none is in progress
	waiting  []*Blocked // the clients that asked for it
}

// ShuttingDown reports whether a SHUTDOWN waits.
func (e *Engine) ShuttingDown() bool { return e.shutdown.deadline != 0 }
