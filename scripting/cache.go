package scripting

import (
	"container/list"
	"crypto/sha1"
	"encoding/hex"
	"strings"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// script is a compiled script, named by its SHA1.
type script struct {
	program
	body  string
	place *list.Element // in the order of use; nil if SCRIPT LOAD keeps it
}

// maxEvaluated is the number of cached scripts that come only from EVAL, as in Redis 7.4. Those from SCRIPT LOAD stay
// until SCRIPT FLUSH.
const maxEvaluated = 500

// cache finds compiled scripts by digest, and by body without computing the digest again.
type cache struct {
	bySHA   map[string]*script
	byBody  map[string]*script
	used    *list.List // of *script, least recently used first
	evicted int
}

func newCache() cache {
	return cache{bySHA: make(map[string]*script), byBody: make(map[string]*script), used: list.New()}
}

// digestLen is the length of a digest.
const digestLen = 2 * sha1.Size

// digest returns the lower-case hexadecimal SHA1 of a body.
func digest(body []byte) string {
	sum := sha1.Sum(body)
	return hex.EncodeToString(sum[:])
}

// add adds a script. A loaded one stays; others replace the least recently used if the cache is full.
func (c *cache) add(s *script, loaded bool) {
	c.bySHA[s.name], c.byBody[s.body] = s, s
	if loaded {
		return
	}
	if c.used.Len() >= maxEvaluated {
		oldest := c.used.Remove(c.used.Front()).(*script)
		delete(c.bySHA, oldest.name)
		delete(c.byBody, oldest.body)
		c.evicted++
	}
	s.place = c.used.PushBack(s)
}

// touch makes a script the most recently used.
func (c *cache) touch(s *script) {
	if s.place != nil && s.place != c.used.Back() {
		c.used.MoveToBack(s.place)
	}
}

// pin keeps a script until SCRIPT FLUSH.
func (c *cache) pin(s *script) {
	if s.place != nil {
		c.used.Remove(s.place)
		s.place = nil
	}
}

// find returns the script with this digest, in upper or lower case, or nil.
func (c *cache) find(sha []byte) *script {
	if s, ok := c.bySHA[string(sha)]; ok {
		return s
	}
	return c.bySHA[strings.ToLower(string(sha))]
}

// bytes returns the size of the cached bodies.
func (c *cache) bytes() (n int) {
	for _, s := range c.bySHA {
		n += len(s.body)
	}
	return n
}

// compile compiles a body.
func (s *Scripts) compile(body []byte) (*script, error) {
	source := string(body)
	sc := &script{program: program{name: digest(body), box: &s.scripts}, body: source}
	if s.declares(source) {
		var err error
		if sc.flags, source, err = s.shebang(source); err != nil {
			return nil, err
		}
	}
	proto, err := s.proto(source)
	if err != nil {
		return nil, engine.Errorf(errCompile, err)
	}
	sc.fn = s.load(&s.scripts, proto)
	return sc, nil
}

func (s *Scripts) proto(source string) (*lua.Proto, error) {
	switch {
	case s.debugging != nil:
		return lua.CompileTraced(source, s.scripts.chunk, s.debugging.ldb)
	case s.Profile != nil:
		return lua.CompileProfiled(source, s.scripts.chunk, s.Profile)
	}
	return lua.Compile(source, s.scripts.chunk)
}
