module video

go 1.23

require trunkline.dev/go v0.0.0

replace trunkline.dev/go => ../../../../sdks/go
