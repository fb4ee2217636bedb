// The video pipeline with the SDK for Go. What it does to videos is in video.go.
package main

import (
	"context"
	"log"

	trunkline "trunkline.dev/go"
)

func main() {
	client, err := trunkline.NewClient()
	if err != nil {
		log.Fatal(err)
	}
	w := trunkline.NewWorker(client, trunkline.Concurrency(4))
	trunkline.Handle(w, "video.validate", of(func(_ context.Context, v video) (object, error) { return v.digest() }))
	trunkline.Handle(w, "video.metadata", of(func(_ context.Context, v video) (object, error) { return v.size(), nil }))
	trunkline.Handle(w, "video.thumbnail", of(func(_ context.Context, v video) (object, error) { return v.firstFrame() }))
	trunkline.Handle(w, "video.encode", of(func(ctx context.Context, v video) (object, error) {
		trunkline.Log(ctx).Info("encoding", "file", v.path)
		return v.pack()
	}))
	trunkline.Handle(w, "video.publish", func(_ context.Context, in object) (object, error) {
		source, _ := in["source"].(object)
		path, _ := source["file"].(string)
		title, _ := in["title"].(string)
		return publish(path, title, in)
	})
	if err := w.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
}
