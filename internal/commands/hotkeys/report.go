package hotkeys

import (
	"github.com/miniserver-go/miniserver/internal/slot"
	"github.com/miniserver-go/miniserver/resp"
)

// report replies with what the session found.
func (t *Tracker) report(reply *resp.Writer) {
	s := t.session
	active, end, used := int64(0), s.end, s.used
	if t.running() {
		now := t.processorTime()
		active, end = 1, t.engine.Home().Millis()
		used = processorTime{now.user - used.user, now.system - used.system}
	}
	at, n := reply.Defer(), 0
	field := func(name string, value int64) {
		reply.BulkString(name)
		reply.Int(value)
		n++
	}
	field("tracking-active", active)
	field("sample-ratio", s.ratio)
	reply.BulkString("selected-slots")
	s.replySlots(reply)
	n++
	chosen, samples := s.slots != nil, s.slots != nil && s.ratio > 1
	if samples {
		field("sampled-commands-selected-slots-us", s.sampled.micros)
	}
	if chosen {
		field("all-commands-selected-slots-us", s.selected.micros)
	}
	field("all-commands-all-slots-us", s.all.micros)
	if samples {
		field("net-bytes-sampled-commands-selected-slots", s.sampled.bytes)
	}
	if chosen {
		field("net-bytes-all-commands-selected-slots", s.selected.bytes)
	}
	field("net-bytes-all-commands-all-slots", s.all.bytes)
	field("collection-start-time-unix-ms", s.start)
	field("collection-duration-ms", end-s.start)
	if s.cpu {
		field("total-cpu-time-user-ms", used.user/1000)
		field("total-cpu-time-sys-ms", used.system/1000)
	}
	if s.net {
		field("total-net-bytes", s.total)
	}
	if s.cpu {
		replyTop(reply, "by-cpu-time-us", s.micros.largest(s.count))
		n++
	}
	if s.net {
		replyTop(reply, "by-net-bytes", s.bytes.largest(s.count))
		n++
	}
	reply.SetMap(at, n)
}

// replyTop replies with a name and the keys with their sums.
func replyTop(reply *resp.Writer, name string, list []*counter) {
	reply.BulkString(name)
	reply.Array(2 * len(list))
	for _, c := range list {
		reply.BulkString(c.key)
		reply.Int(c.sum)
	}
}

// replySlots replies with the ranges of the chosen slots: the first and the last one, or the only
// one.
func (s *session) replySlots(reply *resp.Writer) {
	at, n := reply.Defer(), 0
	for first := 0; first < slot.Count; first++ {
		if s.slots != nil && !s.slots[first] {
			continue
		}
		last := first
		for last+1 < slot.Count && (s.slots == nil || s.slots[last+1]) {
			last++
		}
		replyRange(reply, first, last)
		first = last
		n++
	}
	reply.SetArray(at, n)
}

func replyRange(reply *resp.Writer, first, last int) {
	if first == last {
		reply.Array(1)
	} else {
		reply.Array(2)
		reply.Int(int64(first))
	}
	reply.Int(int64(last))
}
