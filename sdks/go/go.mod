module trunkline.dev/go

go 1.23
