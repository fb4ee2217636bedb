// The driver of sdks/conformance for Go with gRPC: "worker" and "client".
package main

import (
	"fmt"
	"os"
	"time"

	trunkline "trunkline.dev/go"
	"trunkline.dev/go/api"
	"trunkline.dev/go/grpc"
	"trunkline.dev/go/internal/conformance"
)

func main() {
	var options []trunkline.ClientOption
	if silence, err := time.ParseDuration(os.Getenv("CONFORMANCE_SILENCE")); err == nil && os.Getenv("TRUNKLINE_TRANSPORT") == "grpc" {
		settings := api.Settings{URL: os.Getenv("TRUNKLINE_URL"), APIKey: os.Getenv("TRUNKLINE_API_KEY")}
		transport, err := grpc.New(settings, grpc.Silence(silence))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		options = append(options, trunkline.WithTransport(transport))
	}
	os.Exit(conformance.Run(options...))
}
