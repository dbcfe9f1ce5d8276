//go:build linux

package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

var following = regexp.MustCompile(`(?m)^(replicaof|slaveof|primaryof) .*$`)

// rewritten requires that the configuration files, which Sentinels have rewritten, say who is the
// master.
func (g *supervised) rewritten() error {
	for _, t := range g.servers {
		text, err := os.ReadFile(t.conf)
		if err != nil {
			return err
		}
		want := g.follow()
		if t == g.master {
			want = ""
		}
		if got := strings.Join(following.FindAllString(string(text), -1), "; "); got != want {
			return fmt.Errorf("the configuration file of %s says %q instead of %q", t.name, got, want)
		}
	}
	return nil
}

// rejoins starts a replica again, which must follow the master at once: a Sentinel would wait until
// it makes it a replica.
func (g *supervised) rejoins(t *target) error {
	if err := t.restart(); err != nil {
		return err
	}
	info, err := t.info("replication")
	if err == nil && info["master_port"] != g.master.option("--port") {
		err = fmt.Errorf("%s, which starts again, is a %s of port %s", t.name, info["role"], info["master_port"])
	}
	return err
}
