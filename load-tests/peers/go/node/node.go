// Package node starts a node of Trunkline for measurements: a process of its own, on free ports of loopback.
package node

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	startMax = 60 * time.Second
	stopMax  = 4 * time.Second
)

// AdminKey is the same for all nodes of a run: the first one on a database keeps it.
const AdminKey = "tl_measure_0123456789abcdef0123456789abcdef"

// addressLine is the line of the server's greeting that names its address.
var addressLine = regexp.MustCompile(`^\s*REST\s+(http:\S+)`)

// Node is a process of the server: TRUNKLINE_BINARY, or trunkline on the PATH.
type Node struct {
	// URL is the address of REST.
	URL     string
	process *os.Process
	// ended is closed once the process is gone; err is what it ended with.
	ended chan struct{}
	err   error
	once  sync.Once
}

// Start starts a node on the database and answers once it serves. settings are further ones, as NAME=VALUE. The node is
// killed with this process, however that ends.
func Start(ctx context.Context, databaseURL string, settings ...string) (*Node, error) {
	binary := os.Getenv("TRUNKLINE_BINARY")
	if binary == "" {
		binary = "trunkline"
	}
	found, err := exec.LookPath(binary)
	if err != nil {
		return nil, fmt.Errorf("the server's binary: %w", err)
	}
	// It runs in a directory of its own, from which a relative path would lead elsewhere.
	if binary, err = filepath.Abs(found); err != nil {
		return nil, err
	}
	directory, err := os.MkdirTemp("", "trunkline-node-*")
	if err != nil {
		return nil, err
	}
	command := exec.Command(binary, "serve")
	command.Dir = directory
	command.Env = environment(databaseURL, settings)
	command.Stderr = os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(directory))
	}
	started := &Node{ended: make(chan struct{})}
	began, address := make(chan error, 1), make(chan string, 1)
	go func() {
		// The signal comes when the thread ends that started the process, so it is kept as long as the process.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := command.Start(); err != nil {
			began <- errors.Join(fmt.Errorf("%s did not start: %w", binary, err), os.RemoveAll(directory))
			return
		}
		started.process = command.Process
		began <- nil
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			if match := addressLine.FindStringSubmatch(lines.Text()); match != nil {
				select {
				case address <- match[1]:
				default:
				}
			}
		}
		started.err = errors.Join(command.Wait(), os.RemoveAll(directory))
		close(started.ended)
	}()
	if err := <-began; err != nil {
		return nil, err
	}
	select {
	case started.URL = <-address:
		return started, nil
	case <-started.ended:
		return nil, fmt.Errorf("the server ended: %w", started.err)
	case <-time.After(startMax):
	case <-ctx.Done():
	}
	started.Stop()
	return nil, errors.New("the server did not say its address")
}

// environment is this process's without what the server would take from it.
func environment(databaseURL string, settings []string) []string {
	var variables []string
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "TRUNKLINE_") && !strings.HasPrefix(variable, "DATABASE_URL=") {
			variables = append(variables, variable)
		}
	}
	variables = append(variables,
		"TRUNKLINE_HTTP=127.0.0.1:0", "TRUNKLINE_GRPC=127.0.0.1:0", "TRUNKLINE_METRICS=127.0.0.1:0",
		"TRUNKLINE_DATABASE_URL="+databaseURL, "TRUNKLINE_BOOTSTRAP_KEY="+AdminKey)
	return append(variables, settings...)
}

// Stop ends the node, at once where it does not end by itself. It may be called twice.
func (n *Node) Stop() {
	n.once.Do(func() {
		_ = n.process.Signal(syscall.SIGTERM)
		select {
		case <-n.ended:
		case <-time.After(stopMax):
			_ = n.process.Kill()
			<-n.ended
		}
	})
}
