// Package conformance is the driver of sdks/conformance, for the programs of each transport.
package conformance

import (
	"context"
	"fmt"
	"os"

	trunkline "trunkline.dev/go"
)

// Run runs the mode that the first argument says, and gives the exit code.
func Run(options ...trunkline.ClientOption) int {
	if os.Getenv("CONFORMANCE_CODEC") != "" {
		options = append(options, trunkline.WithCodec(sealed{}))
	}
	mode := ""
	if len(os.Args) > 1 {
		mode = os.Args[1]
	}
	var err error
	switch mode {
	case "worker":
		err = runWorker(context.Background(), options)
	case "client":
		err = runClient(context.Background(), os.Stdin, os.Stdout, options)
	default:
		err = fmt.Errorf("say worker or client")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
