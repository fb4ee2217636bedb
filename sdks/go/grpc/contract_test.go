package grpc

import (
	"encoding/json"
	"errors"
	"net/url"
	"testing"

	"google.golang.org/protobuf/proto"

	"trunkline.dev/go/api"
	trunklinev1 "trunkline.dev/go/grpc/proto/trunkline/v1"
)

func TestCallsOfRESTFindTheirMethods(t *testing.T) {
	for _, want := range []struct{ method, path, query, name string }{
		{"POST", "/v1/jobs", "", "/trunkline.v1.JobService/Enqueue"},
		{"GET", "/v1/jobs/job_1", "", "/trunkline.v1.JobService/Get"},
		{"GET", "/v1/jobs/job_1", "wait=true&timeout=5s", "/trunkline.v1.JobService/Wait"},
		{"POST", "/v1/jobs/poll", "", "/trunkline.v1.WorkerService/Poll"},
		{"GET", "/v1/events", "", "/trunkline.v1.EventService/Watch"},
		{"POST", "/v1/executions/exe_1/signals/a%2Fb", "", "/trunkline.v1.ExecutionService/Signal"},
	} {
		query, err := url.ParseQuery(want.query)
		if err != nil {
			t.Fatal(err)
		}
		found, err := table().find(api.Request{Name: "x", Method: want.method, Path: want.path, Query: query})
		if err != nil || found.path != want.name {
			t.Errorf("%s %s: %+v %v", want.method, want.path, found, err)
		}
	}
	if _, err := table().find(api.Request{Name: "readSession", Method: "GET", Path: "/v1/session"}); !errors.Is(err, ErrOnlyREST) {
		t.Error(err)
	}
}

func TestARequestBecomesAMessageAndAnAnswerJSON(t *testing.T) {
	request := api.Request{
		Name: "signalExecution", Method: "POST", Path: "/v1/executions/exe_1/signals/a%2Fb",
		Body: json.RawMessage(`{"payload":{"n":12345678901234567890},"ofTomorrow":1}`),
	}
	found, err := table().find(request)
	if err != nil {
		t.Fatal(err)
	}
	message, err := found.input(request)
	if err != nil {
		t.Fatal(err)
	}
	want := &trunklinev1.SignalExecutionRequest{Id: "exe_1", Name: "a/b", Payload: []byte(`{"n":12345678901234567890}`)}
	if !proto.Equal(message, want) {
		t.Error(message)
	}
	job := &trunklinev1.PolledJob{Id: "job_1", Attempt: 1, Data: []byte(`{"n":9007199254740993}`), Traceparent: proto.String("00-é")}
	text, err := appendMessage(nil, job.ProtoReflect())
	if err != nil {
		t.Fatal(err)
	}
	var back api.PolledJob
	if err := json.Unmarshal([]byte(`{"leaseExpiresAt":"2026-01-01T00:00:00Z",`+string(text)[1:]), &back); err == nil {
		t.Error("an instant that is empty is no instant")
	}
	job.LeaseExpiresAt = "2026-01-01T00:00:00Z"
	if text, err = appendMessage(nil, job.ProtoReflect()); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &back); err != nil || string(back.Data) != `{"n":9007199254740993}` || back.Attempt != 1 || *back.Traceparent != "00-é" {
		t.Errorf("%s %+v %v", text, back, err)
	}
}

func TestWhatGRPCCannotSayIsRefused(t *testing.T) {
	request := api.Request{Name: "listJobs", Method: "GET", Path: "/v1/jobs", Query: url.Values{"workerId": {"w"}, "limit": {"x"}}}
	found, err := table().find(request)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := found.input(request); err == nil {
		t.Error("a limit that is no number was taken")
	}
	request.Query = url.Values{"noSuchFilter": {"w"}}
	if _, err := found.input(request); !errors.Is(err, ErrOnlyREST) {
		t.Error(err)
	}
}

func TestTargets(t *testing.T) {
	for _, want := range []struct {
		grpc, rest, target string
		secure             bool
	}{
		{"", "http://example:8080", "dns:///example:9090", false},
		{"https://example", "", "dns:///example:9090", true},
		{"http://[::1]:7", "", "dns:///[::1]:7", false},
	} {
		target, secure, err := targetOf(want.grpc, want.rest)
		if err != nil || target != want.target || secure != want.secure {
			t.Error(want, target, secure, err)
		}
	}
	if _, _, err := targetOf("nonsense", ""); err == nil {
		t.Error("no address was taken")
	}
}
