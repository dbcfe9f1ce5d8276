package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/reference"
)

var update = flag.Bool("update", false, "rewrite the programs' output")

// patience is the timeout of everything, long since the machine may stand still meanwhile.
const patience = time.Minute

// play runs a program on a server and returns its output.
func play(t *testing.T, p program, network, addr string) string {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	db := redis.NewClient(&redis.Options{Network: network, Addr: addr, DialTimeout: patience, ReadTimeout: patience,
		WriteTimeout: patience})
	defer db.Close()
	var out bytes.Buffer
	require.NoError(t, p.play(ctx, db, &out))
	left, err := db.DBSize(ctx).Result()
	require.NoError(t, err)
	require.Zero(t, left, "keys are left over")
	return out.String()
}

// expected returns the expected output of a program.
func expected(t *testing.T, p program) string {
	text, err := os.ReadFile(filepath.Join("testdata", p.name+".txt"))
	require.NoError(t, err)
	return string(text)
}

func TestPrograms(t *testing.T) {
	path, err := launch.Build(filepath.Join("..", ".."), "./cmd/miniserver")
	require.NoError(t, err)
	defer os.RemoveAll(filepath.Dir(path))
	server, err := launch.Start(launch.Spec{Path: path})
	require.NoError(t, err)
	defer server.Stop()
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			got := play(t, p, server.Network, server.Address)
			if *update {
				require.NoError(t, os.WriteFile(filepath.Join("testdata", p.name+".txt"), []byte(got), 0o666))
			}
			require.Equal(t, expected(t, p), got)
		})
	}
}

func TestProgramsOnRedis(t *testing.T) {
	server := reference.Start(t)
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			if p.name == "seen" {
				t.Skip("NOT COMPARED: redis-server has no Bloom filters without the module")
			}
			require.Equal(t, expected(t, p), play(t, p, "unix", server.Socket))
		})
	}
}
