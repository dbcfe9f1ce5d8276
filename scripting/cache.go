package scripting

import (
	"container/list"
	"crypto/sha1"
	"encoding/hex"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// script is a compiled script, named by its SHA1.
type script struct {
	program
	chunk
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
	c.bySHA[s.name], c.byBody[s.source] = s, s
	if loaded {
		return
	}
	if c.used.Len() >= maxEvaluated {
		oldest := c.used.Remove(c.used.Front()).(*script)
		delete(c.bySHA, oldest.name)
		delete(c.byBody, oldest.source)
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
		n += len(s.source)
	}
	return n
}

// compile compiles a body.
func (s *Scripts) compile(body []byte) (sc *script, err error) {
	source := string(body)
	sc = &script{program: program{name: digest(body), box: &s.scripts}}
	sc.program.chunk = &sc.chunk
	sc.chunk = chunk{kind: s.scripts.kind(), digest: sc.name, source: source}
	if s.declares(source) {
		if sc.flags, source, err = s.shebang(source); err != nil {
			return nil, err
		}
	}
	sc.code = source
	if sc.proto, err = s.proto(source, s.scripts.chunk); err != nil {
		return nil, command.Errorf(errCompile, err)
	}
	sc.fn = s.load(&s.scripts, sc.proto)
	return sc, nil
}

// proto compiles the text of a program.
func (s *Scripts) proto(source, chunk string) (*lua.Proto, error) {
	if s.debugging != nil {
		return lua.CompileTraced(source, chunk, s.debugging.debug)
	}
	return lua.Compile(source, chunk)
}
