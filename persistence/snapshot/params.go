package snapshot

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/errno"
)

func (s *Saver) params() []config.Param {
	stop := config.Bool("stop-writes-on-bgsave-error", &s.stopOnError)
	return []config.Param{
		{Name: "dir", Protected: true, Get: func() string { return s.dir }, Set: s.setDir},
		{Name: "dbfilename", Protected: true, Get: func() string { return s.name }, Set: s.setName},
		{Name: "save", List: true, Get: s.pointsText, Set: s.setPoints},
		config.Bool("rdbcompression", &s.compress),
		config.Bool("rdb-save-incremental-fsync", &s.incrementalFsync),
		config.Bool("rdbchecksum", &s.checksum).AtStart(),
		{Name: stop.Name, Get: stop.Get, Set: func(v string) error {
			err := stop.Set(v)
			s.updateDenial()
			return err
		}},
	}
}

func (s *Saver) setDir(v string) error {
	path, err := filepath.Abs(v)
	if err == nil {
		var info os.FileInfo
		if info, err = os.Stat(path); err == nil && !info.IsDir() {
			err = syscall.ENOTDIR
		}
	}
	if err != nil {
		return command.Error(errno.Text(err))
	}
	s.dir = path
	return nil
}

func (s *Saver) setName(v string) error {
	if v == "" || filepath.Base(v) != v {
		return command.Error("dbfilename can't be a path, just a filename")
	}
	s.name = v
	return nil
}

func (s *Saver) pointsText() string {
	var words []string
	for _, p := range s.points {
		words = append(words, strconv.FormatInt(p.seconds, 10), strconv.FormatInt(p.changes, 10))
	}
	return strings.Join(words, " ")
}

// setPoints sets the save points. In a configuration file each line adds to those before, except
// that an empty one removes them.
func (s *Saver) setPoints(v string) error {
	words := strings.Fields(v)
	if len(words)%2 != 0 {
		return errSavePoints
	}
	var points []point
	for i := 0; i < len(words); i += 2 {
		seconds, err1 := strconv.ParseInt(words[i], 10, 64)
		changes, err2 := strconv.ParseInt(words[i+1], 10, 64)
		if err1 != nil || err2 != nil || seconds < 1 || changes < 0 {
			return errSavePoints
		}
		points = append(points, point{seconds, changes})
	}
	if !s.serving && len(points) > 0 {
		points = append(s.points, points...)
	}
	s.points = points
	s.updateDenial()
	return nil
}

// fill writes the snapshot's part of INFO persistence.
func (s *Saver) fill(_ *engine.World, b *bytes.Buffer) {
	f := &s.stats
	if f.loading {
		FillLoading(b, f.loadStart, s.seconds(), f.loadBytes, f.loadTotal)
	}
	running, keys, total, current := 0, 0, 0, int64(-1)
	if j := s.running; j != nil {
		running, keys, total, current = 1, j.encoded, j.total, s.seconds()-j.started
	}
	share := 0.0
	if total > 0 {
		share = 100 * float64(keys) / float64(total)
	}
	status := "ok"
	if !f.lastOK {
		status = "err"
	}
	engine.Fields(b, "current_save_keys_processed", keys, "current_save_keys_total", total, "current_fork_perc",
		strconv.FormatFloat(share, 'f', 2, 64), "rdb_bgsave_in_progress", running, "rdb_last_save_time",
		f.lastSave, "rdb_last_bgsave_status", status, "rdb_last_bgsave_time_sec", f.lastSeconds,
		"rdb_current_bgsave_time_sec", current, "rdb_saves", f.saves, "rdb_saves_consecutive_failures", f.failures,
		"rdb_last_cow_size", 0, "current_cow_peak", 0, "current_cow_size", 0, "current_cow_size_age", 0,
		"module_fork_in_progress", 0, "module_fork_last_cow_size", 0, "rdb_last_load_keys_expired", f.expired,
		"rdb_last_load_keys_loaded", f.loaded)
	if f.skipped > 0 {
		engine.Fields(b, "rdb_last_load_keys_skipped", f.skipped)
	}
}

// FillLoading writes the fields of INFO persistence about loading that began at start. The times
// are in seconds since the epoch, done and total in bytes.
func FillLoading(b *bytes.Buffer, start, now, done, total int64) {
	share, eta := 0.0, int64(1)
	if total > 0 {
		share = float64(done) * 100 / float64(total)
	}
	if passed := now - start; passed > 0 && done > 0 {
		eta = passed * (total - done) / done
	}
	engine.Fields(b, "loading_start_time", start, "loading_total_bytes", total, "loading_loaded_bytes", done,
		"loading_loaded_perc", strconv.FormatFloat(share, 'f', 2, 64), "loading_eta_seconds", eta)
}
