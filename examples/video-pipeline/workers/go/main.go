// The video pipeline with the SDK for Go. Reads YUV4MPEG2.
package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"

	trunkline "trunkline.dev/go"
)

type (
	file     struct{ File string }
	object   = map[string]any
	manifest struct {
		Title     string `json:"title"`
		Thumbnail string `json:"thumbnail"`
		Video     string `json:"video"`
		Source    object `json:"source"`
	}
)

var out = cmp.Or(os.Getenv("VIDEO_OUT"), "data/video")

func target(file, suffix string) string { return filepath.Join(out, filepath.Base(file)+suffix) }

// read gives a video with its width, height and frames a second, and where its first frame begins.
func read(path string) (video []byte, width, height, fps, first int, err error) {
	if video, err = os.ReadFile(path); err != nil {
		return
	}
	first = bytes.IndexByte(video, '\n') + 1
	_, err = fmt.Sscanf(string(video[:first]), "YUV4MPEG2 W%d H%d F%d:1", &width, &height, &fps)
	return
}

func main() {
	client, err := trunkline.NewClient()
	if err == nil {
		err = os.MkdirAll(out, 0o755)
	}
	if err != nil {
		log.Fatal(err)
	}
	w := trunkline.NewWorker(client, trunkline.Concurrency(4))
	trunkline.Handle(w, "video.validate", func(_ context.Context, in file) (object, error) {
		video, err := os.ReadFile(in.File)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, trunkline.NonRetryable(err)
		}
		path, _ := filepath.Abs(in.File)
		return object{"file": path, "bytes": len(video), "sha256": fmt.Sprintf("%x", sha256.Sum256(video))}, err
	})
	trunkline.Handle(w, "video.metadata", func(_ context.Context, in file) (object, error) {
		video, width, height, fps, _, err := read(in.File)
		frames := len(video) / (width*height*3/2 + len("FRAME\n"))
		return object{"width": width, "height": height, "seconds": float64(frames) / float64(fps)}, err
	})
	trunkline.Handle(w, "video.thumbnail", func(_ context.Context, in file) (object, error) {
		video, width, height, _, first, err := read(in.File)
		if err != nil {
			return nil, err
		}
		luma := video[first+len("FRAME\n"):][:width*height] // of the first frame
		image := append(fmt.Appendf(nil, "P5 %d %d 255\n", width, height), luma...)
		return object{"file": target(in.File, ".pgm")}, os.WriteFile(target(in.File, ".pgm"), image, 0o644)
	})
	trunkline.Handle(w, "video.encode", func(ctx context.Context, in file) (object, error) {
		trunkline.Log(ctx).Info("encoding", "file", in.File)
		video, err := os.ReadFile(in.File)
		var packed bytes.Buffer
		gz := gzip.NewWriter(&packed)
		_, failed := gz.Write(video)
		err = errors.Join(err, failed, gz.Close(), os.WriteFile(target(in.File, ".gz"), packed.Bytes(), 0o644))
		return object{"file": target(in.File, ".gz"), "bytes": packed.Len()}, err
	})
	trunkline.Handle(w, "video.publish", func(_ context.Context, in manifest) (object, error) {
		place := target(fmt.Sprint(in.Source["file"]), ".json")
		text, err := json.MarshalIndent(in, "", "  ")
		return object{"manifest": place, "title": in.Title}, errors.Join(err, os.WriteFile(place, text, 0o644))
	})
	if err := w.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
}
