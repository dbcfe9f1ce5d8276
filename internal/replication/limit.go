package replication

import "github.com/miniserver-go/miniserver/internal/engine"

// feed is called when the stream has grown.
func (r *replica) feed() {
	if r.session.Closing() || !r.follows() {
		return
	}
	if r.state == online {
		r.session.WakeSoon()
	}
	r.limit()
}

// limit disconnects a replica for which too much of the stream waits.
func (r *replica) limit() {
	if !r.session.Closing() && r.follows() && r.exceeds() {
		r.master.opts.Log('#', "Replica %s is disconnected: %d bytes of the stream wait for it, "+
			"see client-output-buffer-limit.", r.name(), r.behind())
		r.session.Disconnect()
	}
}

// exceeds reports whether more bytes of the stream wait for the replica than its limits allow. As
// in Redis the hard limit is at least the size of the backlog: those bytes are in memory anyway,
// and a replica that was disconnected would go on from there.
func (r *replica) exceeds() bool {
	e, pending := r.master.engine, r.behind()
	soft := e.Config.SoftLimits[engine.ClassReplica]
	switch {
	case soft.Bytes == 0 || pending < soft.Bytes:
		r.lateSince = 0
	case r.lateSince == 0:
		r.lateSince = e.Home().Micros()
	}
	hard := e.Config.OutputLimits[engine.ClassReplica]
	return hard > 0 && pending >= max(hard, int64(r.master.backlogBytes())) ||
		r.lateSince != 0 && e.Home().Micros()-r.lateSince > soft.Seconds*1e6
}
