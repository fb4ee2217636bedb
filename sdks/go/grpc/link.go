package grpc

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	rpc "google.golang.org/grpc"

	"trunkline.dev/go/api"
)

var errClosed = errors.New("the client is closed")

// link is a connection, and when something came over it last. Connections can be dead without an error: one over which a call ran
// out of time while nothing came at all is replaced.
type link struct {
	connection *rpc.ClientConn
	heard      atomic.Int64
}

func (l *link) hear() { l.heard.Store(time.Now().UnixNano()) }

// connected gives the connection, which gRPC makes when it is used.
func (t *Transport) connected() (*link, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.closed {
		return nil, &api.ConnectionError{Call: "connect", Err: errClosed}
	}
	if t.link != nil {
		return t.link, nil
	}
	connection, err := rpc.NewClient(t.target, t.options...)
	if err != nil {
		return nil, fmt.Errorf("TRUNKLINE_GRPC_URL: %w", err)
	}
	t.link = &link{connection: connection}
	return t.link, nil
}

// replace gives a connection up unless something came over it since then.
func (t *Transport) replace(dead *link, since time.Time) {
	t.mutex.Lock()
	isDead := t.link == dead && dead.heard.Load() < since.UnixNano()
	if isDead {
		t.link = nil
	}
	t.mutex.Unlock()
	if isDead {
		_ = dead.connection.Close()
	}
}
