// Package api holds the models and calls of Trunkline's interface as they are, and what carries them.
// Package trunkline is the friendlier way to most of it.
package api

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"sort"
	"strings"
	"sync"
	"time"
)

// Request is one call of the interface, named as in the OpenAPI document.
type Request struct {
	Name   string
	Method string
	Path   string
	Query  url.Values
	// Body is sent as JSON; nil sends none.
	Body any
	// Keyed says whether the call takes an idempotency key.
	Keyed bool
}

// Options say how one call is made.
type Options struct {
	// Timeout bounds the call with its repetitions; zero is the transport's own.
	Timeout time.Duration
	// IdempotencyKey makes repetitions of a call safe; empty is a random one.
	IdempotencyKey string
	// NoRetry leaves repetitions to the caller.
	NoRetry bool
}

// Option sets one of Options.
type Option func(*Options)

// Timeout bounds one call with its repetitions.
func Timeout(limit time.Duration) Option { return func(o *Options) { o.Timeout = limit } }

// IdempotencyKey makes calls with the same key and body one call for the server.
func IdempotencyKey(key string) Option { return func(o *Options) { o.IdempotencyKey = key } }

// NoRetry makes the call once only.
func NoRetry() Option { return func(o *Options) { o.NoRetry = true } }

// Transport carries calls. It is safe for use by several goroutines.
type Transport interface {
	// Name is what TRUNKLINE_TRANSPORT says.
	Name() string
	// Call makes a call and decodes its answer into out, unless out is nil. It fails with *ProblemError, *ConnectionError or
	// the error of ctx.
	Call(ctx context.Context, request Request, out any, options ...Option) error
	// Events is the stream of changes until ctx ends. opened, if not nil, is called once it is open. A broken stream is opened
	// again, and an event of the kind "resync" comes first then.
	Events(ctx context.Context, opened func()) iter.Seq2[ChangeEvent, error]
	// Close ends what it holds.
	Close() error
}

// Pusher is a transport that gets jobs by a stream of its own for each worker. Polls over it give what came; reports need not ask
// for the next jobs.
type Pusher interface {
	// OnCancel sets what is called when the server says that a job is not the worker's any more: with the token of its lease, and
	// "cancelled" or "lease_lost".
	OnCancel(workerID string, call func(leaseToken, reason string))
	// EndDelivery says that the worker takes no more jobs. Its reports still come.
	EndDelivery(workerID string)
}

// Settings are what a transport is made of.
type Settings struct {
	URL     string
	APIKey  string
	Timeout time.Duration
	Header  http.Header
	// HTTPClient is used by REST; nil is one with the defaults of net/http.
	HTTPClient *http.Client
}

// Factory makes a transport.
type Factory func(Settings) (Transport, error)

var (
	factoriesMutex sync.Mutex
	factories      = map[string]Factory{"rest": func(s Settings) (Transport, error) { return NewREST(s) }}
)

// Register makes a transport known under the name that TRUNKLINE_TRANSPORT uses. Packages of transports call it in init.
func Register(name string, factory Factory) {
	factoriesMutex.Lock()
	defer factoriesMutex.Unlock()
	factories[name] = factory
}

// Open makes the transport of this name.
func Open(name string, settings Settings) (Transport, error) {
	factoriesMutex.Lock()
	factory, found := factories[name]
	var names []string
	for known := range factories {
		names = append(names, known)
	}
	factoriesMutex.Unlock()
	if found {
		return factory(settings)
	}
	sort.Strings(names)
	if name == "grpc" || name == "kafka" {
		return nil, fmt.Errorf("TRUNKLINE_TRANSPORT=%s: this version has no %s transport; unset it, or set it to rest", name, name)
	}
	return nil, fmt.Errorf("TRUNKLINE_TRANSPORT=%s: there is no such transport; it may be one of %s", name, strings.Join(names, ", "))
}
