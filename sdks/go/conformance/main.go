// The driver of sdks/conformance for Go over REST: "worker" and "client".
package main

import (
	"os"

	"trunkline.dev/go/internal/conformance"
)

func main() { os.Exit(conformance.Run()) }
