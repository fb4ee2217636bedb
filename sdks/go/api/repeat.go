package api

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	mathrand "math/rand/v2"
	"net/http"
	"strings"
	"time"

	"trunkline.dev/go/internal/wire"
)

// A server that refuses connections is given up after about six seconds, one that is only busy when the time is up.
const connectionTriesMax = 6

// Repeat makes a call within its time, again where that is safe and may help. It is for transports: once makes the call once, with
// the idempotency key where the call takes one; limit holds where the options have no timeout.
func Repeat(ctx context.Context, limit time.Duration, request Request, options []Option, once func(ctx context.Context, key string) error) error {
	settings := Options{Timeout: limit}
	for _, option := range options {
		option(&settings)
	}
	ctx, cancel := context.WithTimeout(ctx, settings.Timeout)
	defer cancel()
	key := settings.IdempotencyKey
	if request.Keyed && key == "" {
		// The same key for all tries makes them one call for the server.
		key = randomKey()
	}
	for attempt := 0; ; attempt++ {
		err := once(ctx, key)
		if err == nil || settings.NoRetry || !mayRepeat(request, err, attempt) {
			return err
		}
		delay := RetryDelay(err, attempt, mathrand.Float64())
		if deadline, _ := ctx.Deadline(); time.Until(deadline) <= delay {
			return err
		}
		if !wire.Sleep(ctx, delay) {
			return err
		}
	}
}

// mayRepeat: reports carry a lease token, and calls with a key are recognised, so that both may be repeated after a broken
// connection.
func mayRepeat(request Request, err error, attempt int) bool {
	if !IsTransient(err) {
		return false
	}
	var connection *ConnectionError
	if !errors.As(err, &connection) {
		return true
	}
	safe := request.Method == http.MethodGet || request.Keyed || strings.HasPrefix(request.Path, "/v1/jobs/")
	return safe && attempt+1 < connectionTriesMax
}

func randomKey() string {
	var bytes [16]byte
	// crypto/rand does not fail on the platforms that Go supports.
	_, _ = rand.Read(bytes[:])
	return hex.EncodeToString(bytes[:])
}
