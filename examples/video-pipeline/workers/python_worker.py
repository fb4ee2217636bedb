"""The video pipeline with the SDK for Python. What it does to videos is in video.py."""

import video
from trunkline import Client, Context, NonRetryable, Worker, activity


@activity("video.validate")
def validate(file: str) -> dict:
    try:
        return video.digest(file)
    except FileNotFoundError as error:
        raise NonRetryable(f"there is no file {file}") from error


@activity("video.metadata")
def metadata(file: str) -> dict:
    return video.size(file)


@activity("video.thumbnail")
def thumbnail(file: str) -> dict:
    return {"file": video.first_frame(file)}


@activity("video.encode", timeout="20m")
def encode(ctx: Context, file: str) -> dict:
    ctx.log.info("encoding %s", file)
    return video.packed(file)


@activity("video.publish")
def publish(title: str, **parts) -> dict:
    return {"manifest": video.manifest(parts["source"]["file"], {"title": title, **parts}), "title": title}


Worker(Client(), [validate, metadata, thumbnail, encode, publish], concurrency=4).run()
