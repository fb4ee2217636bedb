package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"
)

const startMax = 60 * time.Second

// addressLine is the line of the server's greeting that names its address.
var addressLine = regexp.MustCompile(`^\s*REST\s+(http:\S+)`)

// server is a node of Trunkline that this process starts: TRUNKLINE_BINARY, or trunkline on the PATH.
type server struct {
	command *exec.Cmd
	url     string
	// ended has the result once the process is gone.
	ended chan error
}

// adminKey is the same for all replicas of a run: the first node on a database keeps it.
const adminKey = "tl_harness_0123456789abcdef0123456789abcdef"

// startServer starts a node on the database and answers once it serves. Limits of jobs at once are out of the way, as the
// other systems of the harness have none.
func startServer(ctx context.Context, databaseURL string) (*server, error) {
	binary := os.Getenv("TRUNKLINE_BINARY")
	if binary == "" {
		binary = "trunkline"
	}
	directory, err := os.MkdirTemp("", "trunkline-harness-*")
	if err != nil {
		return nil, err
	}
	command := exec.Command(binary, "serve")
	command.Dir = directory
	for _, setting := range os.Environ() {
		if !strings.HasPrefix(setting, "TRUNKLINE_") && !strings.HasPrefix(setting, "DATABASE_URL=") {
			command.Env = append(command.Env, setting)
		}
	}
	command.Env = append(command.Env,
		"TRUNKLINE_HTTP=127.0.0.1:0", "TRUNKLINE_GRPC=127.0.0.1:0", "TRUNKLINE_METRICS=127.0.0.1:0",
		"TRUNKLINE_DATABASE_URL="+databaseURL, "TRUNKLINE_BOOTSTRAP_KEY="+adminKey,
		"TRUNKLINE_QUEUES__WORKFLOW_NODE__LIMITS__GLOBAL=100000",
		"TRUNKLINE_QUEUES__WORKFLOW_NODE__LIMITS__TENANT=100000",
		"TRUNKLINE_QUEUES__WORKFLOW_NODE__LIMITS__WORKFLOW=100000",
	)
	command.Stderr = os.Stderr
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("%s did not start: %w", binary, err)
	}
	started := &server{command: command, ended: make(chan error, 1)}
	found := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			if match := addressLine.FindStringSubmatch(lines.Text()); match != nil {
				found <- match[1]
			}
		}
		started.ended <- errors.Join(command.Wait(), os.RemoveAll(directory))
	}()
	select {
	case started.url = <-found:
		return started, nil
	case err := <-started.ended:
		return nil, fmt.Errorf("the server ended: %w", err)
	case <-time.After(startMax):
	case <-ctx.Done():
	}
	started.stop()
	return nil, errors.New("the server did not say its address")
}

// stop ends the node, at once where it does not end by itself.
func (s *server) stop() {
	_ = s.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.ended:
	case <-time.After(4 * time.Second):
		_ = s.command.Process.Kill()
		<-s.ended
	}
}

// newInstance names this replica apart from others of the same run.
func newInstance(number int) string { return fmt.Sprintf("harness-%d-%s", number, rand.Text()[:8]) }
