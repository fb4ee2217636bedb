// Package wire has what the packages of this module share about JSON and time.
package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"time"
)

// Unmarshal is json.Unmarshal that keeps numbers exact: those that go into any become json.Number.
func Unmarshal(content []byte, out any) error {
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	return decoder.Decode(out)
}

// Sleep waits; false when ctx ended before the time was up.
func Sleep(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
