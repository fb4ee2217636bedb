package trunkline

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// What /healthz of a worker says. Only "ok" is answered with 200.
const (
	healthStarting     = "starting"
	healthOK           = "ok"
	healthDisconnected = "disconnected"
	healthDraining     = "draining"
)

// health is what the worker knows of its delivery channel, which is its polls and nothing else.
type health struct {
	mutex  sync.Mutex
	status string
	err    error
}

func (h *health) set(status string, err error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.status != healthDraining {
		h.status = status
	}
	h.err = err
}

func (h *health) get() (string, error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.status, h.err
}

func (h *health) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	status, err := h.get()
	body := map[string]string{"status": status}
	if err != nil {
		body["error"] = err.Error()
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if status != healthOK {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(body)
}

// serve serves /healthz and /metrics at an address until the server is closed.
func (h *health) serve(address string, counted *metrics) (*http.Server, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("TRUNKLINE_WORKER_HEALTH=%s: %w", address, err)
	}
	paths := http.NewServeMux()
	paths.Handle("/healthz", h)
	paths.Handle("/metrics", counted)
	server := &http.Server{Handler: paths, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(listener) }()
	return server, nil
}
