package grpc

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	rpc "google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"trunkline.dev/go/api"
	trunklinev1 "trunkline.dev/go/grpc/proto/trunkline/v1"
)

// feed is a server whose streams of changes a test writes, by their numbers from 1.
type feed struct {
	trunklinev1.UnimplementedEventServiceServer
	opened atomic.Int32
	write  func(number int32, stream rpc.ServerStreamingServer[trunklinev1.ChangeEvent]) error
}

func (f *feed) Watch(_ *trunklinev1.WatchEventsRequest, stream rpc.ServerStreamingServer[trunklinev1.ChangeEvent]) error {
	return f.write(f.opened.Add(1), stream)
}

func serveFeed(t *testing.T, f *feed, options ...Option) *Transport {
	t.Helper()
	return transportTo(t, func(server *rpc.Server) { trunklinev1.RegisterEventServiceServer(server, f) }, options...)
}

func TestChangesComeAsEventsAndAStreamThatBreaksIsOpenedAgain(t *testing.T) {
	ended := &trunklinev1.ChangeEvent{Kind: "execution", ExecutionId: proto.String("exe_1"), Ended: proto.Bool(true)}
	f := &feed{write: func(number int32, stream rpc.ServerStreamingServer[trunklinev1.ChangeEvent]) error {
		if err := stream.Send(&trunklinev1.ChangeEvent{}); err != nil {
			return err
		}
		if number == 2 { // and nothing more
			<-stream.Context().Done()
			return stream.Context().Err()
		}
		return stream.Send(ended)
	}}
	transport := serveFeed(t, f, Silence(2*time.Second))
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	opened := 0
	var kinds []string
	for event, err := range transport.Events(ctx, func() { opened++ }) {
		if err != nil {
			t.Fatal(err)
		}
		if event.Kind == "execution" && (*event.ExecutionID != "exe_1" || !*event.Ended || event.Queue != nil) {
			t.Errorf("%+v", event)
		}
		if kinds = append(kinds, event.Kind); len(kinds) == 4 {
			break
		}
	}
	if !slices.Equal(kinds, []string{"execution", "resync", "resync", "execution"}) || opened != 1 || f.opened.Load() != 3 {
		t.Errorf("%v after %d openings of %d streams", kinds, opened, f.opened.Load())
	}
}

func TestAStreamOfChangesThatIsRefusedIsAProblem(t *testing.T) {
	f := &feed{write: func(int32, rpc.ServerStreamingServer[trunklinev1.ChangeEvent]) error {
		return status.Error(codes.Unimplemented, "an older server")
	}}
	for _, err := range serveFeed(t, f).Events(context.Background(), nil) {
		var problem *api.ProblemError
		if !errors.As(err, &problem) || problem.Status != http.StatusNotImplemented {
			t.Error(err)
		}
	}
	if f.opened.Load() != 1 {
		t.Errorf("it was opened %d times", f.opened.Load())
	}
}

func TestAClosedClientFollowsNothing(t *testing.T) {
	transport := serveFeed(t, &feed{})
	if err := transport.Close(); err != nil {
		t.Fatal(err)
	}
	for _, err := range transport.Events(context.Background(), nil) {
		if !errors.Is(err, errClosed) {
			t.Error(err)
		}
	}
}
