"""What the pipeline does to a video: YUV4MPEG2, with the standard library. worker.py in the folder above knows ffmpeg, too."""

import gzip, hashlib, json, os, shutil
from pathlib import Path

OUT = Path(os.environ.get("VIDEO_OUT", "data/video"))
OUT.mkdir(parents=True, exist_ok=True)


def digest(file: str) -> dict:
    with open(file, "rb") as video:
        content = video.read()
    return {"file": os.path.abspath(file), "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def size(file: str) -> dict:
    with open(file, "rb") as video:
        header = {field[:1]: field[1:] for field in video.readline().decode().split()[1:]}
    width, height, fps = int(header["W"]), int(header["H"]), int(header["F"].split(":")[0])
    frames = os.path.getsize(file) // (width * height * 3 // 2 + len("FRAME\n"))
    return {"width": width, "height": height, "seconds": frames / fps}


def first_frame(file: str) -> str:
    shown, image = size(file), OUT / (Path(file).name + ".pgm")
    with open(file, "rb") as video:  # its brightness
        video.readline(), video.readline()
        head = f"P5 {shown['width']} {shown['height']} 255\n".encode()
        image.write_bytes(head + video.read(shown["width"] * shown["height"]))
    return str(image)


def packed(file: str) -> dict:
    place = OUT / (Path(file).name + ".gz")
    with open(file, "rb") as video, gzip.open(place, "wb", 6) as out:
        shutil.copyfileobj(video, out)
    return {"file": str(place), "bytes": place.stat().st_size}


def manifest(file: str, content: dict) -> str:
    place = OUT / (Path(file).name + ".json")
    place.write_text(json.dumps(content, indent=2))
    return str(place)
