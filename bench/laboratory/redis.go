package laboratory

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/resp"
)

// Redis asks a running redis-server what the same data cost there. It writes one key, of its own,
// and sets thresholds; Close removes the key and restores the thresholds.
type Redis struct {
	Version string
	conn    net.Conn
	reader  *resp.Reader
	saved   map[string]string
}

// wireKey is the key that is written. With it a key's name costs as much as one of up to six bytes.
const wireKey = "lab~~"

// DialRedis connects to a server.
func DialRedis(address string) (*Redis, error) {
	conn, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		return nil, err
	}
	r := &Redis{conn: conn, reader: resp.NewReader(conn), saved: map[string]string{}}
	info, err := r.do("INFO", "server")
	if err != nil {
		return nil, err
	}
	_, rest, _ := strings.Cut(info.Text, "redis_version:")
	r.Version, _, _ = strings.Cut(rest, "\r\n")
	if v, err := r.do("EXISTS", wireKey); err != nil || v.Int != 0 {
		return nil, fmt.Errorf("the key %s is there already: %w", wireKey, err)
	}
	return r, r.save()
}

// save reads the thresholds, for Close to restore.
func (r *Redis) save() error {
	for _, pattern := range []string{"*-max-ziplist-*", "set-max-intset-entries", "set-max-listpack-*"} {
		v, err := r.do("CONFIG", "GET", pattern)
		if err != nil {
			return err
		}
		for i := 0; i+1 < len(v.Elems); i += 2 {
			r.saved[v.Elems[i].Text] = v.Elems[i+1].Text
		}
	}
	return nil
}

// Close restores the thresholds, removes the key and closes the connection.
func (r *Redis) Close() error {
	err := r.set(r.saved)
	if _, gone := r.do("UNLINK", wireKey); err == nil {
		err = gone
	}
	r.conn.Close()
	return err
}

func (r *Redis) set(values map[string]string) error {
	for name, value := range values {
		if _, err := r.do("CONFIG", "SET", name, value); err != nil {
			return fmt.Errorf("%s %s: %w", name, value, err)
		}
	}
	return nil
}

// Ask writes the data of a case and returns what they cost; nothing if Redis has no such form.
func (r *Redis) Ask(c Case) (ref Reference, err error) {
	if c.Form == BTree || c.Form == GoMap || c.Type == "strings" || c.Type == "list" && c.Form != Default {
		return ref, nil
	}
	if err := r.set(r.thresholds(c)); err != nil {
		return ref, err
	}
	if err := r.write(c, elements(shape(c.Shape), c.N)); err != nil {
		return ref, err
	}
	usage, err := r.do("MEMORY", "USAGE", wireKey, "SAMPLES", "0")
	if err != nil {
		return ref, err
	}
	encoding, err := r.do("OBJECT", "ENCODING", wireKey)
	if c.Form == Ziplist && encoding.Text != "ziplist" && encoding.Text != "listpack" {
		return ref, err // sets of texts were not packed before 7.2
	}
	return Reference{encoding.Text, int(usage.Int)}, err
}

// thresholds returns the settings that make a case take its form, of those that the server has.
func (r *Redis) thresholds(c Case) map[string]string {
	values := map[string]string{}
	for name, value := range r.saved {
		switch {
		case c.Form == Default || strings.HasPrefix(name, "list-"):
			values[name] = value
			if standard[name] != "" {
				values[name] = standard[name]
			}
		case name == "set-max-intset-entries":
			values[name] = choose(c.Form == Intset, "1000000000", "0")
		default:
			values[name] = choose(c.Form == Ziplist, "1000000000", "0")
		}
	}
	return values
}

// standard are the thresholds that a case's default form has, whatever the server's settings.
var standard = map[string]string{"zset-max-ziplist-entries": "128", "zset-max-ziplist-value": "64",
	"hash-max-ziplist-entries": "512", "hash-max-ziplist-value": "64", "set-max-intset-entries": "512",
	"set-max-listpack-entries": "128", "set-max-listpack-value": "64", "list-max-ziplist-size": "-2"}

func choose(holds bool, yes, no string) string {
	if holds {
		return yes
	}
	return no
}

// write replaces the key by the elements, 500 in a command.
func (r *Redis) write(c Case, data []element) error {
	if _, err := r.do("UNLINK", wireKey); err != nil {
		return err
	}
	for from := 0; from < len(data); from += 500 {
		words := []string{map[string]string{"zset": "ZADD", "hash": "HSET", "set": "SADD", "list": "RPUSH"}[c.Type],
			wireKey}
		for _, e := range data[from:min(from+500, len(data))] {
			switch c.Type {
			case "zset":
				words = append(words, strconv.FormatFloat(e.score, 'f', -1, 64), string(e.text))
			case "hash":
				words = append(words, string(e.text), "1")
			default:
				words = append(words, string(e.text))
			}
		}
		if _, err := r.do(words...); err != nil {
			return err
		}
	}
	return nil
}

func (r *Redis) do(words ...string) (v resp.Value, err error) {
	w := resp.NewWriter(2)
	w.Command(words...)
	if err := r.conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return v, err
	}
	if _, err := r.conn.Write(w.Bytes()); err != nil {
		return v, err
	}
	if v, err = r.reader.Read(); err == nil && v.IsError() {
		err = fmt.Errorf("%s: %s", words[0], v.Text)
	}
	return v, err
}
