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
	return func(yield func(ChangeEvent, error) bool) {
		failures := 0
		for opening := 0; ctx.Err() == nil; opening++ {
			goesOn := true
			err := r.stream(ctx, func() {
				failures = 0
				if opening > 0 {
					goesOn = yield(ChangeEvent{Kind: "resync"}, nil)
				} else if opened != nil {
					opened()
				}
			}, func(event ChangeEvent) bool {
				goesOn = goesOn && yield(event, nil)
				return goesOn
			})
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

// stream reads one connection to its end; it gives an error always, nil excepted when each said that it has enough.
func (r *REST) stream(ctx context.Context, opened func(), each func(ChangeEvent) bool) error {
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
	opened()
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
		if !each(event) {
			return nil
		}
	}
	err = lines.Err()
	if err == nil {
		err = io.ErrUnexpectedEOF
	}
	return &ConnectionError{Call: "events", Err: err}
}
