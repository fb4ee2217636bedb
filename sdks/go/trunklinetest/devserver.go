package trunklinetest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	trunkline "trunkline.dev/go"
)

const (
	startMax = time.Minute
	stopMax  = 10 * time.Second
	moveMax  = time.Minute
)

// Server is a server for a test.
type Server struct {
	URL    string
	APIKey string
}

// Client returns a client of it.
func (s *Server) Client(t testing.TB, options ...trunkline.ClientOption) *trunkline.Client {
	t.Helper()
	client, err := trunkline.NewClient(append([]trunkline.ClientOption{trunkline.URL(s.URL), trunkline.APIKey(s.APIKey)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

var address = regexp.MustCompile(`^\s*REST\s+(http:\S+)`)

// DevServer starts the real server, TRUNKLINE_BINARY or trunkline on the PATH, on free ports of the loopback interface with a
// SQLite database in a temporary directory, and ends it with the test. env are settings such as
// "TRUNKLINE_QUEUES__WORKFLOW_NODE__LEASE=2s".
func DevServer(t testing.TB, env ...string) *Server {
	t.Helper()
	return start(t, []string{"serve"}, env)
}

// TimeSkippingServer is a DevServer whose time jumps to the next timer or retry while no job is leased and no request
// is in progress. Schedules fire only by Advance.
func TimeSkippingServer(t testing.TB, env ...string) *Server {
	t.Helper()
	return start(t, []string{"dev", "--time-skip"}, env)
}

// Advance advances the time of a TimeSkippingServer, through all timers, retries and schedules in between, and returns
// its time. It waits while a job is leased or a request is in progress.
func (s *Server) Advance(t testing.TB, by time.Duration) time.Time {
	t.Helper()
	return s.moveTime(t, map[string]any{"advance": fmt.Sprintf("%dms", by.Milliseconds())})
}

// Skip sets whether the time of a TimeSkippingServer jumps automatically, and returns its time.
func (s *Server) Skip(t testing.TB, on bool) time.Time {
	t.Helper()
	return s.moveTime(t, map[string]any{"skip": on})
}

func (s *Server) moveTime(t testing.TB, asked map[string]any) time.Time {
	t.Helper()
	body, err := json.Marshal(asked)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), moveMax)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/dev/time", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.APIKey)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	var moved struct {
		Now    time.Time `json:"now"`
		Detail string    `json:"detail"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&moved); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("the time could not be moved: %s %s %v", answer.Status, moved.Detail, err)
	}
	return moved.Now
}

func start(t testing.TB, verb, env []string) *Server {
	t.Helper()
	binary := os.Getenv("TRUNKLINE_BINARY")
	if binary == "" {
		binary = "trunkline"
	}
	directory := t.TempDir()
	server := &Server{APIKey: "tl_test_" + randomText()}
	command := exec.Command(binary, verb...)
	command.Dir = directory
	for _, setting := range os.Environ() {
		if !strings.HasPrefix(setting, "TRUNKLINE_") && !strings.HasPrefix(setting, "DATABASE_URL=") && !strings.HasPrefix(setting, "PORT=") {
			command.Env = append(command.Env, setting)
		}
	}
	command.Env = append(command.Env, "TRUNKLINE_HTTP=127.0.0.1:0", "TRUNKLINE_GRPC=127.0.0.1:0", "TRUNKLINE_METRICS=127.0.0.1:0",
		"TRUNKLINE_DATABASE_URL=sqlite://"+filepath.Join(directory, "trunkline.db"), "TRUNKLINE_BOOTSTRAP_KEY="+server.APIKey, "TMPDIR="+directory)
	command.Env = append(command.Env, env...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatalf("%s did not start: %v; is it on the PATH, or TRUNKLINE_BINARY set?", binary, err)
	}
	found, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			if match := address.FindStringSubmatch(lines.Text()); match != nil {
				found <- match[1]
			}
		}
		ended <- command.Wait()
	}()
	t.Cleanup(func() { stop(command, ended) })
	select {
	case server.URL = <-found:
		return server
	case err := <-ended:
		ended <- err
		t.Fatalf("%s did not start: %v\n%s", binary, err, stderr.String())
	case <-time.After(startMax):
		t.Fatalf("%s gave no address within %v", binary, startMax)
	}
	return nil
}

func stop(command *exec.Cmd, ended <-chan error) {
	_ = command.Process.Signal(syscall.SIGTERM)
	select {
	case <-ended:
	case <-time.After(stopMax):
		_ = command.Process.Kill()
		<-ended
	}
}

func randomText() string {
	var bytes [16]byte
	if _, err := rand.Read(bytes[:]); err != nil {
		panic(fmt.Sprintf("no randomness: %v", err))
	}
	return hex.EncodeToString(bytes[:])
}
