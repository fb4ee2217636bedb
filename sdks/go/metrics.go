package trunkline

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// metrics counts what happens in a worker, as /metrics beside /healthz shows it to Prometheus.
type metrics struct {
	mutex sync.Mutex
	// By names with their labels.
	values map[string]float64
}

// count takes an event in.
func (m *metrics) count(event Event) {
	jobType := label(event.JobType)
	switch event.Kind {
	case Started:
		m.add(fmt.Sprintf(`trunkline_worker_jobs_started_total{job_type=%s}`, jobType), 1)
	case Finished:
		how := event.Outcome
		if how == "none" {
			how = "lost"
		}
		m.add(fmt.Sprintf(`trunkline_worker_jobs_ended_total{how=%s,job_type=%s}`, label(how), jobType), 1)
		m.add(fmt.Sprintf(`trunkline_worker_handler_seconds_total{job_type=%s}`, jobType), event.Duration.Seconds())
	case PollFailed:
		m.add("trunkline_worker_poll_failures_total", 1)
	case HeartbeatFailed:
		m.add("trunkline_worker_heartbeat_failures_total", 1)
	case Polled:
	}
}

func (m *metrics) add(name string, value float64) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.values == nil {
		m.values = map[string]float64{}
	}
	m.values[name] += value
}

// render gives all values as Prometheus text.
func (m *metrics) render() string {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(m.values)) {
		fmt.Fprintf(&text, "%s %s\n", name, strconv.FormatFloat(m.values[name], 'f', -1, 64))
	}
	return text.String()
}

func (m *metrics) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	_, _ = w.Write([]byte(m.render()))
}

// label writes the value of a label.
func label(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
}
