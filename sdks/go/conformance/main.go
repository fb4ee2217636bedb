// The driver of sdks/conformance for Go: "worker" and "client".
package main

import (
	"context"
	"fmt"
	"os"
)

func main() {
	mode := ""
	if len(os.Args) > 1 {
		mode = os.Args[1]
	}
	var err error
	switch mode {
	case "worker":
		err = runWorker(context.Background())
	case "client":
		err = runClient(context.Background(), os.Stdin, os.Stdout)
	default:
		err = fmt.Errorf("say worker or client")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
