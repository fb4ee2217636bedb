module trunkline/load-tests/peers/harness

go 1.26.0

require (
	github.com/HdrHistogram/hdrhistogram-go v1.2.0
	trunkline.dev/go v0.0.0
)

replace trunkline.dev/go => ../../../sdks/go
