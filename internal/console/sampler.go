package console

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/miniserver-go/miniserver/internal/acl"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/permission"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// sampleTime is how often the sampler asks the engine.
const sampleTime = time.Second

// topics are what pages can look at: the commands whose replies they get. A page gets those that
// its user may run.
var topics = map[string][]string{
	"info":    {"INFO"}, // and the sections: see Console.info
	"clients": {"CLIENT", "LIST"},
	"slowlog": {"SLOWLOG", "GET", "128"},
	"latency": {"LATENCY", "HISTOGRAM"},
}

// words is the command of a topic.
func (c *Console) words(topic string) []string {
	if topic == "info" {
		return c.info
	}
	return topics[topic]
}

// slowSection is the section of INFO that neither a page nor a metric needs. It looks at many keys:
// with large databases that takes longer than all the others.
const slowSection = "keysizes"

var takesSections = release.From("7.0.0") // INFO takes more than one

// infoWords returns INFO with all sections but the slow one.
func infoWords(e *engine.Engine) []string {
	if !e.Release.Has(takesSections) {
		return []string{"INFO", "everything"}
	}
	words := []string{"INFO"}
	for _, p := range e.Parts.List {
		for _, s := range p.Sections {
			if name := strings.ToLower(s.Name); name != slowSection && !slices.Contains(words, name) {
				words = append(words, name)
			}
		}
	}
	return words
}

// sampler asks the engine once for all pages that look. It runs while there are any.
type sampler struct {
	console *Console
	mu      sync.Mutex
	looking map[*looker]bool
	running bool
}

// looker is a page that looks.
type looker struct {
	login  *login
	topics []string
	events chan event // a page that reads too slowly misses some
}

// add makes a looker and starts the sampler.
func (s *sampler) add(l *login, topics []string) *looker {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.looking == nil {
		s.looking = make(map[*looker]bool)
	}
	one := &looker{l, topics, make(chan event, 2*len(topics))}
	s.looking[one] = true
	if !s.running {
		s.running = true
		go s.run()
	}
	return one
}

func (s *sampler) remove(l *looker) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.looking, l)
	for len(l.events) > 0 {
		e := <-l.events
		e.held.release()
	}
}

// run samples until no page is subscribed.
func (s *sampler) run() {
	ticker := time.NewTicker(sampleTime)
	defer ticker.Stop()
	for s.sample() {
		<-ticker.C
	}
}

// sample asks for all topics with subscribers, and passes the replies on. It reports false if there
// are none.
func (s *sampler) sample() bool {
	s.mu.Lock()
	var lookers []*looker
	for l := range s.looking {
		lookers = append(lookers, l)
	}
	s.running = len(lookers) > 0
	s.mu.Unlock()
	texts := make(map[string][]byte)
	allowed := make(map[[2]string]bool)
	for _, l := range lookers {
		for _, topic := range l.topics {
			key := [2]string{l.login.name(), topic}
			if _, known := allowed[key]; !known {
				allowed[key] = s.console.may(l.login, s.console.words(topic))
			}
			if !allowed[key] {
				continue
			}
			if texts[topic] == nil {
				texts[topic] = eventText(topic, appendReply(nil, s.console.ask(s.console.words(topic))))
			}
			s.tell(l, texts[topic])
		}
	}
	return len(lookers) > 0
}

// tell gives a looker an event, unless it has not taken those before, or is gone.
func (s *sampler) tell(l *looker, text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.looking[l] || len(l.events) == cap(l.events) {
		return
	}
	if e, err := s.console.newEvent(text); err == nil {
		l.events <- e
	}
}

// ask executes a command for the console itself. The session does not stay, so clients do not see
// it.
func (c *Console) ask(words []string) resp.Value {
	e := c.engine
	session := e.NewOperator(nil, e.Home())
	defer e.Close(session)
	e.Do(session, [][][]byte{bytesOf([]string{"HELLO", "3"})})
	o := e.Do(session, [][][]byte{bytesOf(words)})
	v, err := resp.NewReader(bytes.NewReader(o.Out)).Read()
	if err != nil {
		return resp.Value{Kind: resp.Error, Text: "ERR " + err.Error()}
	}
	return v
}

// may reports whether a user may run a command now. Who has not logged in may do what the default
// user may without a password.
func (c *Console) may(l *login, words []string) (may bool) {
	args := bytesOf(words)
	c.engine.With(func() {
		u := c.engine.Users.Named(l.name())
		cmd, err := c.engine.Commands.Resolve(args)
		if u == nil || !u.Enabled() || err != nil || l == nil && c.engine.Users.RequiresAuth() {
			return
		}
		why, _ := permission.Examine(u, cmd, args, permission.Scope{Count: c.engine.Home().Keyspace.Len()})
		may = why == acl.Allowed
	})
	return may
}

// eventText returns an event as it is sent.
func eventText(name string, data []byte) []byte {
	b := append(append([]byte("event: "), name...), "\ndata: "...)
	return append(append(b, data...), "\n\n"...)
}
