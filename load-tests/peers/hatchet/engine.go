package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/hatchet-dev/hatchet/cmd/hatchet-admin/cli/seed"
	enginecommand "github.com/hatchet-dev/hatchet/cmd/hatchet-engine/engine"
	"github.com/hatchet-dev/hatchet/cmd/hatchet-migrate/migrate"
	"github.com/hatchet-dev/hatchet/pkg/cleanup"
	"github.com/hatchet-dev/hatchet/pkg/config/loader"
	"github.com/hatchet-dev/hatchet/pkg/config/server"
	"github.com/hatchet-dev/hatchet/pkg/encryption"
)

const (
	tokenLasts = 24 * time.Hour
	readyMax   = 30 * time.Second
)

// engine is Hatchet's in this process.
type engine struct {
	config  *server.ServerConfig
	release func() error
	work    cleanup.Cleanup
	// stop ends it; ended has what it ended with.
	stop  context.CancelFunc
	ended chan error
}

// startEngine makes the tables, seeds the tenant, starts the engine on loopback, and says in the environment where
// clients find it: that is where its own programs and its SDK read all of this.
func startEngine(ctx context.Context, databaseURL string) (*engine, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	if err := configure(databaseURL, address, port); err != nil {
		return nil, err
	}
	// It ends this process where it fails, and says why on standard error.
	migrate.RunMigrations(ctx)
	// A directory without files: the environment says it all.
	directory, err := os.MkdirTemp("", "hatchet-peer-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(directory)
	started := &engine{ended: make(chan error, 1)}
	started.release, started.config, err = loader.NewConfigLoader(directory).CreateServerFromConfig(version())
	if err != nil {
		return nil, fmt.Errorf("configure the engine: %w", err)
	}
	if err := seed.SeedDatabase(started.config.Layer); err != nil {
		return nil, fmt.Errorf("seed: %w", err)
	}
	if err := started.setToken(ctx); err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	started.stop, started.work = stop, cleanup.New(started.config.Logger)
	go func() { started.ended <- enginecommand.RunWithConfig(running, started.config, &started.work) }()
	if err := started.waitUntilReady(address); err != nil {
		return nil, err
	}
	return started, nil
}

// configure sets what the engine, its migrations and its SDK read: all on loopback, no call home, no telemetry, no
// health check (which listens on all interfaces). The limit of calls a second is out of the way.
func configure(databaseURL, address string, port int) error {
	master, private, public, _, err := encryption.GenerateLocalKeys()
	if err != nil {
		return fmt.Errorf("make keys: %w", err)
	}
	for name, value := range map[string]string{
		"DATABASE_URL":                         databaseURL,
		"DATABASE_LOGGER_LEVEL":                "error",
		"DATABASE_ENFORCE_UTC_TIMEZONE":        "false",
		"SERVER_AUTH_COOKIE_SECRETS":           "0123456789abcdef 0123456789abcdef",
		"SERVER_ENCRYPTION_MASTER_KEYSET":      string(master),
		"SERVER_ENCRYPTION_JWT_PRIVATE_KEYSET": string(private),
		"SERVER_ENCRYPTION_JWT_PUBLIC_KEYSET":  string(public),
		"SERVER_GRPC_BIND_ADDRESS":             "127.0.0.1",
		"SERVER_GRPC_BROADCAST_ADDRESS":        address,
		"SERVER_GRPC_INSECURE":                 "true",
		"SERVER_GRPC_PORT":                     strconv.Itoa(port),
		"SERVER_GRPC_RATE_LIMIT":               "100000",
		"SERVER_HEALTHCHECK":                   "false",
		"SERVER_LOGGER_LEVEL":                  "error",
		"SERVER_MSGQUEUE_KIND":                 "postgres",
		"SERVER_SECURITY_CHECK_ENABLED":        "false",
		"SERVER_TLS_STRATEGY":                  "none",
		"SERVER_URL":                           "http://127.0.0.1",
		"HATCHET_CLIENT_LOG_LEVEL":             "error",
		"HATCHET_CLIENT_TLS_STRATEGY":          "none",
	} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}

// setToken makes a token for the clients of this process.
func (e *engine) setToken(ctx context.Context) error {
	tenant, err := uuid.Parse(e.config.Seed.DefaultTenantID)
	if err != nil {
		return fmt.Errorf("the tenant: %w", err)
	}
	expires := time.Now().UTC().Add(tokenLasts)
	token, err := e.config.Auth.JWTManager.GenerateTenantToken(ctx, tenant, "peer", false, &expires)
	if err != nil {
		return fmt.Errorf("make a token: %w", err)
	}
	return os.Setenv("HATCHET_CLIENT_TOKEN", token.Token)
}

func (e *engine) waitUntilReady(address string) error {
	for until := time.Now().Add(readyMax); ; time.Sleep(50 * time.Millisecond) {
		connection, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			return connection.Close()
		}
		select {
		case err := <-e.ended:
			return fmt.Errorf("the engine ended: %w", err)
		default:
		}
		if time.Now().After(until) {
			return errors.Join(errors.New("the engine does not listen"), err)
		}
	}
}

func (e *engine) close() {
	e.stop()
	<-e.ended
	if err := errors.Join(e.work.Run(), e.release(), e.config.Disconnect()); err != nil {
		fmt.Fprintln(os.Stderr, "the engine did not end well:", err)
	}
}

// version is that of the module: the SDK decides by it what the engine can do.
func version() string {
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, dependency := range build.Deps {
			if dependency.Path == module {
				return dependency.Version
			}
		}
	}
	return "unknown"
}

// freePort asks the system for a port of loopback that nobody has.
func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
