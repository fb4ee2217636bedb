package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"trunkline.dev/go/api"
)

// scripted answers the nth request as the nth function says, and the last one from then on.
func scripted(t *testing.T, answers ...http.HandlerFunc) (*api.REST, func() []http.Header) {
	t.Helper()
	var mutex sync.Mutex
	var seen []http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		mutex.Lock()
		answer := answers[min(len(seen), len(answers)-1)]
		seen = append(seen, r.Header.Clone())
		mutex.Unlock()
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	rest, err := api.NewREST(api.Settings{URL: server.URL + "/", APIKey: "k"})
	if err != nil {
		t.Fatal(err)
	}
	return rest, func() []http.Header {
		mutex.Lock()
		defer mutex.Unlock()
		return slices.Clone(seen)
	}
}

func answer(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func cut(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

var busy = answer(503, `{"code":"overloaded","detail":"busy"}`, "Retry-After", "0")

func TestABusyServerAndACutConnectionAreAskedAgainWithTheSameKey(t *testing.T) {
	rest, seen := scripted(t, busy, cut, answer(202, `{"id":"job_1","position":1,"status":"QUEUED"}`))
	job, err := api.NewCalls(rest).EnqueueJob(context.Background(), api.JobRequest{JobType: "greet", Data: json.RawMessage("1")})
	if err != nil || job.ID != "job_1" {
		t.Fatal(job, err)
	}
	keys := map[string]bool{}
	for _, header := range seen() {
		keys[header.Get("Idempotency-Key")] = true
		if header.Get("Authorization") != "Bearer k" {
			t.Error(header)
		}
	}
	if len(seen()) != 3 || len(keys) != 1 || keys[""] {
		t.Error(len(seen()), keys)
	}
}

func TestARefusalIsAProblemAtOnce(t *testing.T) {
	rest, seen := scripted(t, answer(422, `{"code":"invalid","detail":"no","errors":[{"pointer":"/jobType","message":"bad"}]}`))
	_, err := api.NewCalls(rest).GetQueue(context.Background(), "x")
	var problem *api.ProblemError
	if !errors.As(err, &problem) || problem.Status != 422 || problem.Code != "invalid" || !strings.Contains(err.Error(), "/jobType: bad") {
		t.Fatal(err)
	}
	if len(seen()) != 1 {
		t.Error(len(seen()))
	}
}

func TestEveryCallHasADeadline(t *testing.T) {
	stop := make(chan struct{})
	rest, _ := scripted(t, func(http.ResponseWriter, *http.Request) { <-stop })
	defer close(stop)
	_, err := api.NewCalls(rest).GetQueue(context.Background(), "x", api.Timeout(30*time.Millisecond))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
}

func TestTheStreamOfEventsComesBackWithAResync(t *testing.T) {
	rest, _ := scripted(t, answer(200, ": hello\n\nevent: execution\ndata: {\"kind\":\"execution\",\"executionId\":\"exe_1\"}\n\n"))
	var kinds []string
	for event, err := range rest.Events(context.Background(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if kinds = append(kinds, event.Kind); len(kinds) == 3 {
			break
		}
	}
	if !slices.Equal(kinds, []string{"execution", "resync", "execution"}) {
		t.Error(kinds)
	}
}

func TestATransportThatIsNotThereIsSaidWithTheVariablesName(t *testing.T) {
	for _, name := range []string{"grpc", "kafka", "pigeon"} {
		if _, err := api.Open(name, api.Settings{}); err == nil || !strings.Contains(err.Error(), "TRUNKLINE_TRANSPORT="+name) {
			t.Error(err)
		}
	}
}
