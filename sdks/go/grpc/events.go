package grpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"trunkline.dev/go/api"
	trunklinev1 "trunkline.dev/go/grpc/proto/trunkline/v1"
)

// Events implements api.Transport.
func (t *Transport) Events(ctx context.Context, opened func()) iter.Seq2[api.ChangeEvent, error] {
	return api.Follow(ctx, opened, t.watch)
}

// watch reads one stream to its end; it gives nil when opened or each has enough.
func (t *Transport) watch(ctx context.Context, opened func() bool, each func(api.ChangeEvent) bool) error {
	link, err := t.connected()
	if errors.Is(err, errClosed) {
		return fmt.Errorf("events: %w", errClosed) // No later try helps.
	}
	if err != nil {
		return err
	}
	own, cancel := context.WithCancelCause(t.withKey(ctx))
	defer cancel(nil)
	silence := time.AfterFunc(t.silence, func() {
		cancel(errSilent)
		t.replace(link, time.Now())
	})
	defer silence.Stop()
	stream, err := trunklinev1.NewEventServiceClient(link.connection).Watch(own, &trunklinev1.WatchEventsRequest{})
	for isOpen := false; err == nil; {
		var change *trunklinev1.ChangeEvent
		// Nothing is read while whoever follows is busy.
		silence.Reset(t.silence)
		change, err = stream.Recv()
		silence.Stop()
		if err != nil {
			break
		}
		link.hear()
		// What has no kind says that the stream is there.
		goesOn := true
		if change.GetKind() != "" {
			goesOn = each(eventOf(change))
		} else if !isOpen {
			goesOn = opened()
		}
		if !goesOn {
			return nil
		}
		isOpen = true
	}
	if cause := context.Cause(own); errors.Is(cause, errSilent) {
		err = cause
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return errorOf(ctx, "events", err)
}

func eventOf(change *trunklinev1.ChangeEvent) api.ChangeEvent {
	event := api.ChangeEvent{Kind: change.GetKind(), ExecutionID: change.ExecutionId, JobID: change.JobId, Ended: change.Ended}
	if change.Queue != nil {
		queue := api.QueueName(change.GetQueue())
		event.Queue = &queue
	}
	return event
}
