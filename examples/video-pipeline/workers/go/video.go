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
	"os"
	"path/filepath"

	trunkline "trunkline.dev/go"
)

type object = map[string]any

type input struct{ File string }

// of is a handler of one video. A file that is not there is no error that passes.
func of(do func(ctx context.Context, v video) (object, error)) func(context.Context, input) (object, error) {
	return func(ctx context.Context, in input) (object, error) {
		v, err := read(in.File)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, trunkline.NonRetryable(err)
		} else if err != nil {
			return nil, err
		}
		return do(ctx, v)
	}
}

// What the pipeline does to a video: YUV4MPEG2, with the standard library.
type video struct {
	path                      string
	content                   []byte
	width, height, fps, first int
}

// target is where what is made of a file goes.
func target(path, suffix string) (string, error) {
	out := cmp.Or(os.Getenv("VIDEO_OUT"), "data/video")
	return filepath.Join(out, filepath.Base(path)+suffix), os.MkdirAll(out, 0o755)
}

func read(path string) (v video, err error) {
	v.path = path
	if v.content, err = os.ReadFile(path); err != nil {
		return v, err
	}
	v.first = bytes.IndexByte(v.content, '\n') + 1
	_, err = fmt.Sscanf(string(v.content[:v.first]), "YUV4MPEG2 W%d H%d F%d:1", &v.width, &v.height, &v.fps)
	return v, err
}

func (v video) digest() (object, error) {
	path, err := filepath.Abs(v.path)
	return object{"file": path, "bytes": len(v.content), "sha256": fmt.Sprintf("%x", sha256.Sum256(v.content))}, err
}

func (v video) size() object {
	frames := len(v.content) / (v.width*v.height*3/2 + len("FRAME\n"))
	return object{"width": v.width, "height": v.height, "seconds": float64(frames) / float64(v.fps)}
}

func (v video) firstFrame() (object, error) {
	luma := v.content[v.first+len("FRAME\n"):][:v.width*v.height]
	return v.write(".pgm", append(fmt.Appendf(nil, "P5 %d %d 255\n", v.width, v.height), luma...))
}

func (v video) pack() (object, error) {
	var packed bytes.Buffer
	gz := gzip.NewWriter(&packed)
	_, err := gz.Write(v.content)
	if err = errors.Join(err, gz.Close()); err != nil {
		return nil, err
	}
	return v.write(".gz", packed.Bytes())
}

func (v video) write(suffix string, content []byte) (object, error) {
	place, err := target(v.path, suffix)
	if err == nil {
		err = os.WriteFile(place, content, 0o644)
	}
	return object{"file": place, "bytes": len(content)}, err
}

func publish(path, title string, manifest any) (object, error) {
	place, err := target(path, ".json")
	text, failed := json.MarshalIndent(manifest, "", "  ")
	if err = errors.Join(err, failed); err == nil {
		err = os.WriteFile(place, text, 0o644)
	}
	return object{"manifest": place, "title": title}, err
}
