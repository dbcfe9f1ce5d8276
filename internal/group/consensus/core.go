package consensus

import (
	"errors"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
)

// core is a member's part in Raft, without goroutines, disk, network or clock: it gets events, one
// at a time, and collects what is to be done. The loop of a Node drives it, and so do tests, with a
// clock, a disk and a network of their own.
//
//	step, stored, applied, append, tick ... ─▶ core ─▶ output: send, store, apply, seats
//
// Around the state machine of etcd's library it decides what that does not know of: who may vote
// and stand (a disk that fails, entries that are lost, promises of the lease), and when the leader
// has its seat.
//
// Obligations of who drives it:
//  1. now is set before each event, and never goes back.
//  2. Before anything of an output is done, the term and whether this member leads are published:
//     the lease relies on that.
//  3. What is to be stored is stored in its order, all of it, however long that takes, and then
//     handed to stored. What is to be applied, likewise.
//  4. Messages may be lost, late, doubled and in any order.
type core struct {
	id     uint64
	raw    *raft.RawNode
	lease  *lease
	now    int64 // nanoseconds
	ticked int64 // when the last tick came
	ticks  int
	heard  int64 // when the library was told last who has answered
	quiet  bool  // answers to heartbeats are not sent

	term    uint64
	state   raft.StateType
	lead    uint64
	last    uint64 // entry of the log, stored or not
	commit  uint64
	applied uint64
	ignored uint64 // changes of the members up to this entry are in what this member began with

	members []member // as the applied entries have them

	hole bool  // this member has lost entries, and has no vote
	disk error // why nothing can be stored at the moment

	leaving bool   // the seat is to be handed over, because the disk fails
	silent  int    // ticks in which most others did not answer
	patient int    // how many of them the seat lasts
	ordered uint64 // term in which a vote was asked for by order of the leader before

	seat    uint64 // 0: none
	taken   uint64 // how often in this term
	barrier uint64 // entry that must be applied before a seat is taken; 0: it has not been appended

	change  *change
	handing *handing

	out output
}

// output is what is to be done, in the order of each list.
type output struct {
	send    []pb.Message
	store   []pb.Message // MsgStorageAppend
	tasks   []task       // for the machine
	seats   []Seat
	dropped []string // files of snapshots that are not needed
}

// change is one of the members under way.
type change struct {
	index, term uint64
	done        func(error)
}

// handing is the seat on its way to another member.
type handing struct {
	to   uint64
	done func(error)
}

const (
	electionTicks  = 20 // in Options.Heartbeat
	heartbeatTicks = 5
	maxMessage     = 1 << 20  // bytes of entries, unless it is one entry
	maxInFlight    = 16 << 20 // bytes to one follower
	maxApplying    = 4 << 20
	// maxTaken is how often one member can take the seat in one term.
	maxTaken = 1 << 16
)

// begin is what a core begins with.
type begin struct {
	id      uint64
	store   raft.Storage
	applied uint64 // entry that the machine's state has
	last    uint64
	ignored uint64
	members []member
	lease   *lease
	patient int
	now     int64
	logger  raft.Logger
}

func newCore(b begin) (*core, error) {
	hard, _, err := b.store.InitialState()
	if err != nil {
		return nil, err
	}
	raw, err := raft.NewRawNode(&raft.Config{ID: b.id, ElectionTick: electionTicks, HeartbeatTick: heartbeatTicks,
		Storage: b.store, Applied: b.applied, AsyncStorageWrites: true, MaxSizePerMsg: maxMessage,
		MaxCommittedSizePerReady: maxApplying, MaxInflightMsgs: 256, MaxInflightBytes: maxInFlight,
		CheckQuorum: true, PreVote: true, DisableProposalForwarding: true, StepDownOnRemoval: true, Logger: b.logger})
	if err != nil {
		return nil, err
	}
	c := &core{id: b.id, raw: raw, lease: b.lease, now: b.now, ticked: b.now, term: hard.Term, last: b.last,
		commit: max(hard.Commit, b.applied), applied: b.applied, ignored: b.ignored, members: b.members,
		patient: b.patient}
	c.lease.setVoters(c.members)
	return c, nil
}

// step takes a message of another member.
func (c *core) step(m pb.Message) {
	switch m.Type {
	case pb.MsgVote, pb.MsgPreVote:
		byOrder := string(m.Context) == campaignTransfer
		if c.hole || !byOrder && c.lease.promised(c.now) {
			return
		}
		if byOrder {
			c.ordered = m.Term
		}
	case pb.MsgVoteResp, pb.MsgPreVoteResp:
		if !m.Reject && !c.mayStand(m.Term) {
			return
		}
	case pb.MsgTimeoutNow:
		if c.hole || c.disk != nil || m.Term != c.raw.BasicStatus().Term {
			return
		}
		c.lease.ordered.Store(m.Term + 1)
	case pb.MsgHeartbeat:
		m.Commit = min(m.Commit, c.last) // the library panics if entries are missing
	case pb.MsgAppResp:
		if !m.Reject && m.Index > c.last {
			return
		}
	}
	_ = c.raw.Step(m) // what it refuses is of no use to it
	if m.Type == pb.MsgApp || m.Type == pb.MsgSnap {
		c.collect()
	}
	if m.Type == pb.MsgSnap && !c.installs(m.Snapshot) {
		c.out.dropped = append(c.out.dropped, dataOf(m.Snapshot).Path)
	}
}

// campaignTransfer is what the library says in votes that are asked for by order.
const campaignTransfer = "CampaignTransfer"

// installs reports whether a snapshot that has just come is going to be stored.
func (c *core) installs(s *pb.Snapshot) bool {
	for _, m := range c.out.store {
		if m.Snapshot != nil && string(m.Snapshot.Data) == string(s.Data) {
			return true
		}
	}
	return false
}

// mayStand reports whether this member may ask for votes in a term, and give itself one.
func (c *core) mayStand(term uint64) bool {
	return !c.hole && c.disk == nil && (term == c.lease.ordered.Load() || !c.lease.promised(c.now))
}

// stored takes what the storage answers after it has stored what it was told to. A vote is given
// only if no leader has called while it was being stored.
func (c *core) stored(m pb.Message) {
	if (m.Type == pb.MsgVoteResp || m.Type == pb.MsgPreVoteResp) && !m.Reject {
		if m.To == c.id && !c.mayStand(m.Term) ||
			m.To != c.id && (c.hole || m.Term != c.ordered && c.lease.promised(c.now)) {
			return
		}
	}
	if m.To != c.id {
		c.out.send = append(c.out.send, m)
		return
	}
	_ = c.raw.Step(m)
}

// done tells that a task with entries has been carried out; changes are those of the members among
// the entries, and members what they lead to.
func (c *core) done(t task) {
	for _, e := range t.changes {
		if e.index > c.ignored {
			c.raw.ApplyConfChange(e.change)
		}
	}
	if len(t.changes) > 0 && t.changes[len(t.changes)-1].index > c.ignored {
		c.setMembers(t.members)
	}
	_ = c.raw.Step(t.answer)
	c.applied = max(c.applied, t.last().Index)
	c.endChange(t)
}

func (c *core) setMembers(members []member) {
	c.members = members
	c.lease.setVoters(members)
}

// endChange answers who has changed the members. The library puts an empty entry in place of a
// change that it refuses.
func (c *core) endChange(t task) {
	w := c.change
	if w == nil || c.applied < w.index {
		return
	}
	c.change = nil
	for _, e := range t.changes {
		if e.index == w.index {
			w.done(nil)
			return
		}
	}
	w.done(ErrUnderWay)
}

// append appends entries of the present seat. One that cannot be appended ends the seat, because
// those after it would miss it.
func (c *core) append(list []*appended) {
	if len(list) == 0 {
		return
	}
	var entries []pb.Entry
	for _, a := range list {
		if a.seat == c.seat && c.seat != 0 {
			for _, part := range a.parts {
				entries = append(entries, pb.Entry{Data: part})
			}
		}
	}
	if len(entries) > 0 && c.propose(entries) != nil {
		c.loseSeat()
		entries = nil
	}
	end := 0
	for _, a := range list {
		if end+len(a.parts) <= len(entries) && a.seat == c.seat {
			end += len(a.parts)
			a.index = entries[end-1].Index
		}
		a.parts = nil
	}
	c.out.tasks = append(c.out.tasks, task{waiting: list})
}

var errNoIndex = errors.New("raft: an entry was appended without an index")

// propose appends entries, whose indexes the library sets.
func (c *core) propose(entries []pb.Entry) error {
	err := c.raw.Step(pb.Message{Type: pb.MsgProp, From: c.id, Entries: entries})
	if err == nil && entries[len(entries)-1].Index == 0 {
		panic(errNoIndex)
	}
	return err
}

// tick tells that time has passed. However late it comes, it is one tick: then this process did
// not run, and others may well have called. Everything that has arrived must have been stepped.
func (c *core) tick() {
	before := c.ticked
	c.ticked = c.now
	c.ticks++
	if c.raw.BasicStatus().RaftState == raft.StateLeader {
		c.hearAnswers(before)
	} else {
		c.hearLeader(before)
	}
	c.raw.Tick()
	c.collect()
	c.endHanding()
}

// hearLeader tells the library that the leader has called, though the message has not come to the
// loop, or was no message of the library at all. The leader hears of it now and then.
func (c *core) hearLeader(since int64) {
	if h := c.lease.heard.Load(); h.at > since && h.term != 0 && h.term == c.raw.BasicStatus().Term {
		c.collect()
		c.quiet = c.ticks%heartbeatTicks != 0
		_ = c.raw.Step(pb.Message{Type: pb.MsgHeartbeat, From: h.from, To: c.id, Term: h.term})
		c.collect()
		c.quiet = false
	}
}

// hearAnswers does the same for what followers have answered, and ends the seat when most of them
// have been silent for too long.
func (c *core) hearAnswers(since int64) {
	term := c.raw.BasicStatus().Term
	if c.ticks%heartbeatTicks == 0 {
		for _, id := range c.lease.answeredAfter(term, c.heard) {
			_ = c.raw.Step(pb.Message{Type: pb.MsgHeartbeatResp, From: id, To: c.id, Term: term})
		}
		c.heard = c.now
	}
	if c.silent++; c.lease.most(term, c.now, answeredAt) > since {
		c.silent = 0
	}
	if c.silent > c.patient || c.leaving && c.raw.BasicStatus().LeadTransferee == raft.None {
		c.stepDown()
	}
}

// stepDown makes a leader a follower in the same term: the library does that when most others have
// been silent between two looks. A group of one goes on to be led.
func (c *core) stepDown() {
	for range 2 {
		_ = c.raw.Step(pb.Message{Type: pb.MsgCheckQuorum, From: raft.LocalAppendThread})
	}
}

// setDisk notes whether entries can be stored. A leader that cannot hands the seat over.
func (c *core) setDisk(err error) {
	c.disk, c.leaving = err, false
	if err == nil || c.raw.BasicStatus().RaftState != raft.StateLeader {
		return
	}
	c.loseSeat()
	c.leaving = len(c.members) > 1
	var best, match uint64
	for id, p := range c.raw.Status().Progress {
		if id != c.id && !p.IsLearner && p.RecentActive && (p.Match > match || p.Match == match && id > best) {
			best, match = id, p.Match
		}
	}
	if best != 0 {
		c.raw.TransferLeader(best)
	}
}

// snapshotSent tells what became of a snapshot for another member.
func (c *core) snapshotSent(to uint64, ok bool) {
	status := raft.SnapshotFailure
	if ok {
		status = raft.SnapshotFinish
	}
	c.raw.ReportSnapshot(to, status)
}

// transfer hands the seat over; done is called when it is lost, or stays.
func (c *core) transfer(to uint64, done func(error)) {
	switch {
	case c.state != raft.StateLeader:
		done(ErrNotLeader)
	case !hasVoter(c.members, to):
		done(ErrUnknownMember)
	case c.handing != nil:
		done(ErrUnderWay)
	case to == c.id:
		done(nil)
	default:
		c.handing = &handing{to, done}
		c.raw.TransferLeader(to)
	}
}

// endHanding answers who has handed the seat over, if it stays.
func (c *core) endHanding() {
	if h := c.handing; h != nil && c.raw.BasicStatus().LeadTransferee == raft.None {
		c.handing = nil
		if c.state == raft.StateLeader {
			h.done(errNotTaken)
		} else {
			h.done(nil)
		}
	}
}

// changeMembers begins a change of the members.
func (c *core) changeMembers(cc pb.ConfChange, done func(error)) {
	if c.state != raft.StateLeader {
		done(ErrNotLeader)
		return
	}
	data, err := cc.Marshal()
	if err == nil && (c.change != nil || c.seat == 0) {
		err = ErrUnderWay
	}
	entries := []pb.Entry{{Type: pb.EntryConfChange, Data: data}}
	if err == nil {
		err = c.propose(entries)
	}
	if err != nil {
		done(err)
		return
	}
	c.change = &change{entries[0].Index, c.term, done}
}

// finish completes an event, or several, and returns what is to be done.
func (c *core) finish() output {
	c.collect()
	c.keepSeat()
	c.collect()
	out := c.out
	c.out = output{}
	return out
}

// collect takes what the library wants to be done.
func (c *core) collect() {
	for c.raw.HasReady() {
		r := c.raw.Ready()
		if n := len(r.Entries); n > 0 {
			c.last = r.Entries[n-1].Index
		}
		if !raft.IsEmptySnap(r.Snapshot) {
			c.restored(r.Snapshot)
		}
		if !raft.IsEmptyHardState(r.HardState) {
			c.setTerm(r.HardState.Term)
			c.commit = r.HardState.Commit
		}
		if r.SoftState != nil {
			c.setState(r.SoftState)
		}
		for _, m := range r.Messages {
			c.emit(m)
		}
	}
}

// restored notes that a leader's snapshot takes the place of the log.
func (c *core) restored(s pb.Snapshot) {
	c.last, c.ignored = s.Metadata.Index, s.Metadata.Index
	c.setMembers(dataOf(&s).Members)
}

func (c *core) emit(m pb.Message) {
	switch m.Type {
	case pb.MsgStorageAppend:
		c.out.store = append(c.out.store, m)
		return
	case pb.MsgStorageApply:
		c.out.tasks = append(c.out.tasks, task{entries: m.Entries, answer: m.Responses[0]})
		return
	case pb.MsgVote, pb.MsgPreVote:
		if !c.mayStand(m.Term) {
			return
		}
	case pb.MsgTimeoutNow:
		c.lease.handed.Store(m.Term)
	case pb.MsgHeartbeatResp:
		if c.quiet {
			return
		}
	}
	c.out.send = append(c.out.send, m)
}

func (c *core) setTerm(term uint64) {
	if term != c.term {
		c.loseLead()
		c.term, c.taken = term, 0
	}
}

func (c *core) setState(s *raft.SoftState) {
	if c.state == raft.StateLeader && s.RaftState != raft.StateLeader {
		c.loseLead()
	}
	if s.RaftState == raft.StateLeader && c.state != raft.StateLeader {
		c.silent, c.barrier = 0, c.last // the entry with which it begins its term, or one after that
	}
	c.state, c.lead = s.RaftState, s.Lead
}

// loseLead ends what only a leader has.
func (c *core) loseLead() {
	c.loseSeat()
	c.barrier, c.leaving = 0, false
	if w := c.change; w != nil {
		c.change = nil
		w.done(ErrUnknown)
	}
	if h := c.handing; h != nil {
		c.handing = nil
		h.done(nil)
	}
}

// loseSeat ends the seat. What is under way in it may be lost.
func (c *core) loseSeat() {
	if c.seat == 0 {
		return
	}
	c.out.seats = append(c.out.seats, Seat{Term: c.term, ID: c.seat})
	c.out.tasks = append(c.out.tasks, task{lost: c.seat})
	c.seat, c.barrier = 0, 0
}

// keepSeat takes the seat as soon as everything before it has been applied. After a seat that was
// lost in the same term that is a new entry.
func (c *core) keepSeat() {
	if c.state != raft.StateLeader || c.seat != 0 || c.disk != nil {
		return
	}
	if c.barrier == 0 {
		empty := []pb.Entry{{}}
		if c.raw.BasicStatus().LeadTransferee == raft.None && c.propose(empty) == nil {
			c.barrier = empty[0].Index
		}
		return
	}
	if c.applied >= c.barrier {
		c.taken = min(c.taken+1, maxTaken-1)
		c.seat = c.term*maxTaken + c.taken
		c.out.seats = append(c.out.seats, Seat{Leader: true, Term: c.term, ID: c.seat})
	}
}
