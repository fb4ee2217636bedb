"""The video pipeline with the Python SDK. Reads YUV4MPEG2; worker.py beside this folder also knows ffmpeg."""

import gzip, hashlib, json, os, shutil
from pathlib import Path

from trunkline import Client, Context, NonRetryable, Worker, activity

OUT = Path(os.environ.get("VIDEO_OUT", "data/video"))


def size_of(file: str) -> dict[str, int]:
    with open(file, "rb") as video:
        header = {field[:1]: field[1:] for field in video.readline().decode().split()[1:]}
    return {"width": int(header["W"]), "height": int(header["H"]), "fps": int(header["F"].split(":")[0])}


@activity("video.validate")
def validate(file: str) -> dict:
    if not os.path.exists(file):
        raise NonRetryable(f"there is no file {file}")
    with open(file, "rb") as video:
        digest = hashlib.sha256(video.read()).hexdigest()
    return {"file": os.path.abspath(file), "bytes": os.path.getsize(file), "sha256": digest}


@activity("video.metadata")
def metadata(file: str) -> dict:
    size = size_of(file)
    frames = os.path.getsize(file) // (size["width"] * size["height"] * 3 // 2 + len("FRAME\n"))
    return {"width": size["width"], "height": size["height"], "seconds": frames / size["fps"]}


@activity("video.thumbnail")
def thumbnail(file: str) -> dict:
    size, image = size_of(file), OUT / (Path(file).name + ".pgm")
    with open(file, "rb") as video:  # the brightness of the first frame
        video.readline(), video.readline()
        head = f"P5 {size['width']} {size['height']} 255\n".encode()
        image.write_bytes(head + video.read(size["width"] * size["height"]))
    return {"file": str(image)}


@activity("video.encode", timeout="20m")
def encode(ctx: Context, file: str) -> dict:
    packed = OUT / (Path(file).name + ".gz")
    ctx.log.info("encoding %s", file)
    with open(file, "rb") as video, gzip.open(packed, "wb", 6) as out:
        shutil.copyfileobj(video, out)
    return {"file": str(packed), "bytes": packed.stat().st_size}


@activity("video.publish")
def publish(title: str, **parts) -> dict:
    manifest = OUT / (Path(parts["source"]["file"]).name + ".json")
    manifest.write_text(json.dumps({"title": title, **parts}, indent=2))
    return {"manifest": str(manifest), "title": title}


OUT.mkdir(parents=True, exist_ok=True)
Worker(Client(), [validate, metadata, thumbnail, encode, publish], concurrency=4).run()
