module trunkline.dev/go/kafka

go 1.25.0

require (
	github.com/twmb/franz-go v1.21.6
	github.com/twmb/franz-go/pkg/kmsg v1.13.1
	trunkline.dev/go v0.1.0
)

require (
	github.com/klauspost/compress v1.18.7 // indirect
	github.com/pierrec/lz4/v4 v4.1.26 // indirect
)

replace trunkline.dev/go => ../
