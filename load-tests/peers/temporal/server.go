package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/activity"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/postgresql"
	"go.temporal.io/server/temporal"
	sqltool "go.temporal.io/server/tools/sql"
)

const (
	// historyShards is what its own example for PostgreSQL has. Their number can't be changed later.
	historyShards = 4
	// connections of each of the two stores are those of the same example.
	connections           = 20
	visibilityConnections = 2
	// Ports below the range from which the kernel takes some for outgoing connections, and which its table of members, whose
	// column is a small integer, can hold.
	portMin, portMax = 20_000, 32_000
	portTries        = 1_000
)

// visibility is the database that lists executions, beside the one that holds them.
func visibility(database *url.URL) string { return database.Path[1:] + "_visibility" }

// setUpSchemas makes Temporal's tables: most in the peer's own database, those of lists in a second one.
func setUpSchemas(ctx context.Context, database *url.URL) error {
	if err := onServer(ctx, database, "CREATE DATABASE "+pgx.Identifier{visibility(database)}.Sanitize()); err != nil {
		return fmt.Errorf("create the database of lists: %w", err)
	}
	password, _ := database.User.Password()
	for name, schema := range map[string]string{
		database.Path[1:]:    "postgresql/v12/temporal",
		visibility(database): "postgresql/v12/visibility",
	} {
		for _, verb := range [][]string{
			{"setup-schema", "--version", "0.0"}, {"update-schema", "--schema-name", schema},
		} {
			// The tool ends this process where it fails, and says why on standard error.
			tool := []string{
				"temporal-sql-tool", "--plugin", postgresql.PluginName, "--endpoint", database.Hostname(),
				"--port", database.Port(), "--user", database.User.Username(), "--password", password, "--database", name,
			}
			if err := sqltool.RunTool(append(tool, verb...)); err != nil {
				return fmt.Errorf("%s of %s: %w", verb[0], name, err)
			}
		}
	}
	return nil
}

// dropVisibility removes the second database; the driver removes the first.
func dropVisibility(database *url.URL) {
	drop := "DROP DATABASE IF EXISTS " + pgx.Identifier{visibility(database)}.Sanitize() + " WITH (FORCE)"
	if err := onServer(context.Background(), database, drop); err != nil {
		fmt.Fprintln(os.Stderr, "the database of lists stays:", err)
	}
}

func onServer(ctx context.Context, database *url.URL, statement string) error {
	connection, err := pgx.Connect(ctx, database.String())
	if err != nil {
		return err
	}
	defer connection.Close(ctx)
	_, err = connection.Exec(ctx, statement)
	return err
}

// newServer configures all four services in this process, on two ports each: calls, and the ring of members. The first
// port is the frontend's.
func newServer(database *url.URL, ports []int) (temporal.Server, error) {
	frontend := fmt.Sprintf("127.0.0.1:%d", ports[0])
	services := map[string]config.Service{}
	for number, name := range temporal.DefaultServices {
		services[name] = config.Service{RPC: config.RPC{
			GRPCPort: ports[number*2], MembershipPort: ports[number*2+1], BindOnLocalHost: true,
		}}
	}
	settings := &config.Config{
		Global: config.Global{
			Membership: config.Membership{MaxJoinDuration: 30 * time.Second, BroadcastAddress: "127.0.0.1"},
		},
		Persistence: config.Persistence{
			DefaultStore: "default", VisibilityStore: "visibility", NumHistoryShards: historyShards,
			DataStores: map[string]config.DataStore{
				"default":    store(database, database.Path[1:], connections),
				"visibility": store(database, visibility(database), visibilityConnections),
			},
		},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10, MasterClusterName: "active", CurrentClusterName: "active",
			ClusterInformation: map[string]cluster.ClusterInformation{
				"active": {Enabled: true, InitialFailoverVersion: 1, RPCAddress: frontend},
			},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		Services:            services,
		Archival: config.Archival{
			History:    config.HistoryArchival{State: "disabled"},
			Visibility: config.VisibilityArchival{State: "disabled"},
		},
		PublicClient: config.PublicClient{HostPort: frontend},
		NamespaceDefaults: config.NamespaceDefaults{Archival: config.ArchivalNamespaceDefaults{
			History:    config.HistoryArchivalNamespaceDefaults{State: "disabled"},
			Visibility: config.VisibilityArchivalNamespaceDefaults{State: "disabled"},
		}},
	}
	server, err := temporal.NewServer(
		temporal.WithConfig(settings),
		temporal.ForServices(temporal.DefaultServices),
		temporal.WithLogger(log.NewZapLogger(log.BuildZapLogger(log.Config{Level: "error"}))),
		temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
	)
	if err != nil {
		return nil, fmt.Errorf("configure the server: %w", err)
	}
	return server, nil
}

func store(database *url.URL, name string, connections int) config.DataStore {
	password, _ := database.User.Password()
	return config.DataStore{SQL: &config.SQL{
		PluginName: postgresql.PluginName, DatabaseName: name,
		ConnectAddr: database.Host, ConnectProtocol: "tcp",
		User: database.User.Username(), Password: password,
		MaxConns: connections, MaxIdleConns: connections, MaxConnLifetime: time.Hour,
	}}
}

// freePorts finds ports on loopback that nobody has.
func freePorts(count int) ([]int, error) {
	var ports []int
	var failed error
	for tries := 0; len(ports) < count; tries++ {
		if tries == portTries {
			return nil, fmt.Errorf("find free ports: %w", failed)
		}
		port := portMin + rand.IntN(portMax-portMin)
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			failed = err
			continue
		}
		// Open until all are found, so that they differ.
		defer listener.Close()
		ports = append(ports, port)
	}
	return ports, nil
}

func named(name string) activity.RegisterOptions { return activity.RegisterOptions{Name: name} }

// silent is a logger of the SDK that writes nothing.
type silent struct{}

var _ sdklog.Logger = silent{}

func (silent) Debug(string, ...any) {}
func (silent) Info(string, ...any)  {}
func (silent) Warn(string, ...any)  {}
func (silent) Error(string, ...any) {}
