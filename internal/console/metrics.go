package console

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/resp"
)

// metrics is GET /metrics. It needs a user who may run INFO, by the cookie of the console or as
// HTTP's basic authentication sends it: a session of that user asks, so what he may not see is not
// there.
func (c *Console) metrics(w http.ResponseWriter, r *http.Request) {
	l := c.loginOf(r)
	if user, password, given := r.BasicAuth(); given && len(user)+len(password) <= maxPassword {
		if user == "" {
			user = "default"
		}
		l = &login{user: user, password: password}
	}
	s := c.newSession(l, endpointOf(r), nil)
	defer s.close()
	out, err := s.run(r.Context(),
		[][]string{c.info, {"SLOWLOG", "LEN"}, {"SLOWLOG", "GET", "1"}, {"CONFIG", "GET", "max*"}})
	defer out.held.release()
	if err == nil {
		err = out.replies[0].Err()
	}
	if err != nil {
		w.Header().Set("WWW-Authenticate", `Basic realm="miniserver"`)
		refuse(w, http.StatusUnauthorized, err.Error())
		return
	}
	w.Header().Set("Content-Type", contentType)
	_, _ = w.Write(figures(out.replies).exposition(r.URL.Query().Get("names") == "exporter").text())
}

// figures are the replies of a server as metrics. They have the names that redis_exporter gives
// them, so that boards and alerts for it work. What Redis has no field for begins with miniserver_.
// Few names break the rules of Prometheus; these are only there if asked for.
type figures []resp.Value

// exposition returns the metrics; exporter asks for all names of redis_exporter.
func (f figures) exposition(exporter bool) exposition {
	m := emitter{make(exposition), exporter}
	m.gauge("redis_up", "Whether the server answers.", 1)
	info := fields(f[0].Text)
	for field, value := range info {
		if n, ok := number(value); ok {
			m.plain(field, n)
		}
		m.line(field, value, info)
	}
	m.instance(info)
	if n := f[1]; n.Kind == resp.Integer {
		m.gauge("redis_slowlog_length", "Entries of the slow log.", float64(n.Int))
	}
	m.slowest(f[2])
	for name, value := range f[3].StringMap() {
		if n, ok := number(value); ok && (name == "maxmemory" || name == "maxclients") {
			m.gauge("redis_config_"+name, "The parameter "+name+".", n)
		}
	}
	return m.exposition
}

// number reads a value of INFO. "ok" and "up" are 1, their contraries 0.
func number(value string) (n float64, ok bool) {
	switch value {
	case "ok", "up":
		return 1, true
	case "err", "down":
		return 0, true
	}
	n, err := strconv.ParseFloat(strings.TrimSuffix(value, "%"), 64)
	return n, err == nil
}

// emitter makes metrics.
type emitter struct {
	exposition
	exporter bool
}

func (m emitter) gauge(name, help string, value float64, labels ...string) {
	m.add(gauge, name, help, value, labels...)
}

func (m emitter) counter(name, help string, value float64, labels ...string) {
	m.add(counter, name, help, value, labels...)
}

// plain emits a field that is one number.
func (m emitter) plain(field string, n float64) {
	help := "The field " + field + " of INFO."
	if name, known := counters[field]; known {
		m.add(kindOf(counter, name), "redis_"+name, help, n)
	}
	if name, known := gauges[field]; known {
		m.add(kindOf(gauge, name), "redis_"+name, help, n)
	}
	if r, known := respelled[field]; known {
		m.add(r.kind, "redis_"+r.name, help, n*r.scale)
		if m.exporter {
			m.add(r.kind, "redis_"+r.exporter, help, n)
		}
	}
	if name, known := own[field]; known {
		m.add(name.kind, "miniserver_"+name.name, help, n*name.scale)
	}
}

var memberField = regexp.MustCompile(`^group_member(\d+)$`)

// line emits a field that consists of several, or whose labels are others.
func (m emitter) line(field, value string, info map[string]string) {
	parts := make(map[string]string)
	for part := range strings.SplitSeq(value, ",") {
		name, value, _ := strings.Cut(part, "=")
		parts[name] = value
	}
	of := func(name string) float64 { n, _ := number(parts[name]); return n }
	name, numbered := strings.CutPrefix(field, "slave")
	_, err := strconv.Atoi(name)
	switch master := []string{"master_host", info["master_host"], "master_port", info["master_port"]}; {
	case strings.HasPrefix(field, "cmdstat_"):
		m.commands(strings.TrimPrefix(field, "cmdstat_"), of)
	case strings.HasPrefix(field, "errorstat_"):
		m.counter("redis_errors_total", "Error replies, by their code.", of("count"), "err",
			strings.TrimPrefix(field, "errorstat_"))
	case parts["keys"] != "" && strings.HasPrefix(field, "db"):
		m.database(field, of)
	case numbered && err == nil && parts["ip"] != "":
		labels := []string{"slave_ip", parts["ip"], "slave_port", parts["port"], "slave_state", parts["state"]}
		m.gauge("redis_connected_slave_offset_bytes", "What a replica has confirmed.", of("offset"), labels...)
		m.gauge("redis_connected_slave_lag_seconds", "How long ago a replica has answered.", of("lag"), labels...)
	case replicaFields[field] != "":
		n, _ := number(value)
		m.gauge("redis_"+replicaFields[field], "The field "+field+" of INFO.", n, master...)
	case memberField.MatchString(field) && of("lag") >= 0: // else it is not known
		m.gauge("miniserver_group_member_lag", "Entries of the log that a member has not confirmed.", of("lag"),
			"member", memberField.FindStringSubmatch(field)[1], "address", parts["address"], "vote", parts["vote"])
	case field == "uptime_in_seconds":
		up, _ := number(value)
		now, _ := number(info["server_time_usec"])
		m.gauge("redis_start_time_seconds", "When the server was started, in seconds since the epoch.",
			float64(int64(now/1e6-up)))
	}
}

func (m emitter) commands(name string, of func(string) float64) {
	m.counter("redis_commands_total", "Calls of a command.", of("calls"), "cmd", name)
	m.counter("redis_commands_duration_seconds_total", "Time that a command has taken.", of("usec")/1e6, "cmd", name)
	m.counter("redis_commands_rejected_calls_total", "Calls of a command that were refused.",
		of("rejected_calls"), "cmd", name)
	m.counter("redis_commands_failed_calls_total", "Calls of a command that failed.", of("failed_calls"), "cmd", name)
}

func (m emitter) database(name string, of func(string) float64) {
	m.gauge("redis_db_keys", "Keys of a database.", of("keys"), "db", name)
	m.gauge("redis_db_keys_expiring", "Keys of a database that have a deadline.", of("expires"), "db", name)
	m.gauge("redis_db_avg_ttl_seconds", "How long the keys with a deadline have left, on average.",
		of("avg_ttl")/1000, "db", name)
}

// instance emits what the server is.
func (m emitter) instance(info map[string]string) {
	var labels []string
	for _, name := range []string{"role", "redis_version", "redis_build_id", "redis_mode", "os", "maxmemory_policy",
		"tcp_port", "run_id", "process_id"} {
		labels = append(labels, name, info[name])
	}
	m.gauge("redis_instance_info", "What the server is.", 1, labels...)
	m.gauge("miniserver_build_info", "The version of miniserver.", 1, "version", info["miniserver_version"], "go",
		info["go_version"])
	if info["role"] == "slave" {
		m.gauge("redis_slave_info", "Whose replica the server is.", 1, "master_host", info["master_host"],
			"master_port", info["master_port"], "read_only", info["slave_read_only"])
	}
	if info["group_name"] != "" {
		m.gauge("miniserver_group_info", "Which member of a group the server is.", 1, "group", info["group_name"],
			"member", info["group_id"], "role", info["group_role"])
	}
}

// slowest emits the latest entry of the slow log.
func (m emitter) slowest(entries resp.Value) {
	if len(entries.Elems) == 0 || len(entries.Elems[0].Elems) < 3 {
		return
	}
	last := entries.Elems[0].Elems
	m.gauge("redis_slowlog_last_id", "Number of the latest entry of the slow log.", float64(last[0].Int))
	m.gauge("redis_last_slow_execution_duration_seconds", "How long the latest command of the slow log took.",
		float64(last[2].Int)/1e6)
}
