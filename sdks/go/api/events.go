package api

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"iter"
	mathrand "math/rand/v2"
	"net/http"
	"strings"
	"time"

	"trunkline.dev/go/internal/wire"
)

// The server says something at least this often, if only a comment.
const eventsSilenceMax = time.Minute

// Events implements Transport.
func (r *REST) Events(ctx context.Context, opened func()) iter.Seq2[ChangeEvent, error] {
	return Follow(ctx, opened, r.stream)
}

// Follow is the changes of one connection after another, for transports. once opens a connection, calls its first function when that is
// open and its second one for each change, until one of them gives false; it gives an error when the connection breaks.
func Follow(
	ctx context.Context, opened func(), once func(context.Context, func() bool, func(ChangeEvent) bool) error,
) iter.Seq2[ChangeEvent, error] {
	return func(yield func(ChangeEvent, error) bool) {
		failures, wasOpened, goesOn := 0, false, true
		give := func(event ChangeEvent) bool {
			goesOn = goesOn && yield(event, nil)
			return goesOn
		}
		for ctx.Err() == nil {
			err := once(ctx, func() bool {
				failures = 0
				if wasOpened {
					return give(ChangeEvent{Kind: "resync"})
				}
				wasOpened = true
				if opened != nil {
					opened()
				}
				return true
			}, give)
			if !goesOn || ctx.Err() != nil {
				return
			}
			if !IsTransient(err) {
				yield(ChangeEvent{}, err)
				return
			}
			wire.Sleep(ctx, RetryDelay(err, failures, mathrand.Float64()))
			failures++
		}
	}
}

// stream reads one connection to its end; it gives an error always, nil excepted when opened or each said that it has enough.
func (r *REST) stream(ctx context.Context, opened func() bool, each func(ChangeEvent) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	silence := time.AfterFunc(eventsSilenceMax, cancel)
	defer silence.Stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.base+"/v1/events", nil)
	if err != nil {
		return err
	}
	request.Header = r.header.Clone()
	request.Header.Set("Accept", "text/event-stream")
	answer, err := r.client.Do(request)
	if err != nil {
		return &ConnectionError{Call: "events", Err: err}
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		content, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<16))
		return problemOf(answer, content)
	}
	if !opened() {
		return nil
	}
	lines := bufio.NewScanner(answer.Body)
	var data []string
	for lines.Scan() {
		silence.Reset(eventsSilenceMax)
		line := lines.Text()
		if text, found := strings.CutPrefix(line, "data:"); found {
			data = append(data, strings.TrimPrefix(text, " "))
		}
		if line != "" || len(data) == 0 {
			continue
		}
		var event ChangeEvent
		if err := json.Unmarshal([]byte(strings.Join(data, "\n")), &event); err != nil {
			return err
		}
		data = nil
		// Whoever follows may be busy for longer than that.
		silence.Stop()
		if !each(event) {
			return nil
		}
		silence.Reset(eventsSilenceMax)
	}
	err = lines.Err()
	if err == nil {
		err = io.ErrUnexpectedEOF
	}
	return &ConnectionError{Call: "events", Err: err}
}
