module trunkline/load-tests/peers/harness

go 1.26.0

require (
	github.com/HdrHistogram/hdrhistogram-go v1.2.0
	trunkline.dev/go v0.0.0
	trunkline/load-tests/peers/go v0.0.0-00010101000000-000000000000
)

replace trunkline/load-tests/peers/go => ../go

replace trunkline.dev/go => ../../../sdks/go
