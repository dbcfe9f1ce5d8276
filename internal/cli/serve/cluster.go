package serve

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
)

// Verb is what the sub-command cluster does with groups that run; false for a word that is no verb.
type Verb func(ctx context.Context, word string, args []string, out io.Writer) (known bool, err error)

// Cluster returns the sub-command of a cluster in one process. It is the server with the settings
// by which that becomes a cluster: see package shards. With a verb it is about groups that run.
func Cluster(verb Verb) *subcommand.Subcommand {
	return &subcommand.Subcommand{Name: "cluster",
		Forms: []string{"[options] [/path/to/redis.conf] [-- --setting value ...]",
			"create|add|rebalance|check|watch host:port...", "remove host:port group"},
		Purpose: "serves a whole Redis Cluster in one process, for tests; or shares the slots among running groups",
		Prepare: func(flags *pflag.FlagSet) subcommand.Action {
			port := flags.Uint16("port", 6379,
				"port of the first node, the others have those behind it; 0 picks free ones")
			shards := flags.Uint16("shards", 3, "masters, which share the hash slots")
			replicas := flags.Uint16("replicas", 1, "replicas of each master")
			return func(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
				if len(args) > 0 {
					if known, err := verb(ctx, args[0], args[1:], out); known {
						return err
					}
				}
				if *shards == 0 {
					return subcommand.Misuse("--shards needs at least 1")
				}
				settings := []string{"--test-kit", "yes", "--port", fmt.Sprint(*port), "--cluster-enabled", "yes",
					"--cluster-shards", fmt.Sprint(*shards), "--cluster-replicas", fmt.Sprint(*replicas)}
				file := 0 // how many arguments name one, which comes first
				if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
					file = 1
				}
				return Run(ctx, slices.Insert(args, file, settings...), in, out, Options{})
			}
		}}
}
