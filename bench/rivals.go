package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/launch"
)

// binary is a server to run. Its name heads its rows; that of ours is "ours".
type binary struct{ name, path string }

// rivals is the flag -rival, which may be given several times: name=path, or a path alone.
type rivals []binary

// String returns the value as the flag package shows it.
func (r *rivals) String() string {
	var words []string
	for _, b := range *r {
		words = append(words, b.name+"="+b.path)
	}
	return strings.Join(words, " ")
}

// Set adds a rival. One without a name is called after the file and its version, such as
// valkey-server-9.1.2.
func (r *rivals) Set(text string) error {
	name, path, named := strings.Cut(text, "=")
	if !named {
		path = text
		name = filepath.Base(path) + "-" + launch.Version(path)
	}
	if name == "" || name == "ours" || path == "" ||
		slices.ContainsFunc(*r, func(b binary) bool { return b.name == name }) {
		return fmt.Errorf("%q is not name=path with a name of its own", text)
	}
	*r = append(*r, binary{name, path})
	return nil
}

// withRivals adds the flags of rivals and of ours.
func (o *options) withRivals() *options {
	o.flags.Var(&o.rivals, "rival", "a server to compare with, as name=path or a path; may be given several times")
	o.flags.StringVar(&o.ours, "ours", "", "our binary; built from ./cmd/miniserver if empty")
	o.flags.StringVar(&o.redisArgs, "redis-args", "", "further arguments for all servers but ours")
	o.flags.StringVar(&o.oursArgs, "ours-args", "", "further arguments for ours")
	return o
}

// withServers adds the flags of servers. The server at redis is the one to compare with if no other
// is named.
func (o *options) withServers(redis string) *options {
	o.flags.StringVar(&o.redis, "redis", redis,
		"the redis-server to compare with; empty for none; left out if there is a -rival and no -redis")
	return o.withRivals()
}

// binaries returns the servers to run, ours last, and a function that removes what was built.
func (o *options) binaries() (list []binary, clean func(), err error) {
	if o.redis != "" && (len(o.rivals) == 0 || o.given("redis")) {
		list = append(list, binary{"redis", o.redis})
	}
	list = append(list, o.rivals...)
	path, clean, err := built(o.ours)
	list = append(list, binary{"ours", path})
	o.machine = describe(list)
	return list, clean, err
}

// given reports whether the arguments have a flag.
func (o *options) given(name string) (found bool) {
	o.flags.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

// built returns path, or the path of a new build of ours, as releases are built, if it is empty,
// and a function that removes the build.
func built(path string) (ours string, clean func(), err error) {
	if path != "" {
		return path, func() {}, nil
	}
	root, err := launch.Root()
	if err != nil {
		return "", func() {}, err
	}
	_ = os.Setenv("CGO_ENABLED", "0") // C's library is 1.5 MB of resident memory
	path, err = launch.Build(root, "./cmd/miniserver")
	return path, func() { os.RemoveAll(filepath.Dir(path)) }, err
}

// arguments returns the further arguments of the server of that name.
func (o *options) arguments(name string) string {
	if name == "ours" {
		return o.oursArgs
	}
	return o.redisArgs
}

// startAll starts the servers; the function stops them.
func (o *options) startAll() ([]*server, func(), error) {
	list, clean, err := o.binaries()
	if err != nil {
		return nil, nil, err
	}
	var servers []*server
	stop := func() {
		for _, s := range servers {
			s.stop()
		}
		clean()
	}
	for _, b := range list {
		s, err := startServer(b.name, b.path, o.arguments(b.name))
		if err != nil {
			stop()
			return nil, nil, err
		}
		servers = append(servers, s)
	}
	return servers, stop, nil
}

// turn returns the order of a round: another one is first in each. The order also turns round each
// time that all have been first, so that none always follows the same one.
func turn[T any](list []T, round int) []T {
	if len(list) == 0 {
		return nil
	}
	first := round % len(list)
	order := slices.Concat(list[first:], list[:first])
	if round/len(list)%2 == 1 {
		slices.Reverse(order)
	}
	return order
}
