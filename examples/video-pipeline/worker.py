"""A worker of the video pipeline: standard library only, ffprobe and ffmpeg where they are installed."""
import gzip, hashlib, json, os, shutil, socket, subprocess, urllib.error, urllib.request

URL = os.environ.get("TRUNKLINE_URL", "http://127.0.0.1:8080")
KEY = os.environ.get("TRUNKLINE_API_KEY") or open("data/admin.key").read().strip()
OUT = os.environ.get("VIDEO_OUT", "data/video")
WORKER = f"{socket.gethostname()}-{os.getpid()}"
FFMPEG = shutil.which("ffmpeg") and shutil.which("ffprobe")


def call(path, body):
    request = urllib.request.Request(URL + path, json.dumps(body).encode(),
                                     {"authorization": f"Bearer {KEY}", "content-type": "application/json"})
    return json.load(urllib.request.urlopen(request, timeout=60))


def target(file, suffix):
    os.makedirs(OUT, exist_ok=True)
    return os.path.join(OUT, os.path.basename(file) + suffix)


def validate(job):
    with open(job["file"], "rb") as video:  # a missing file is no use trying again: see `retryable` below
        digest = hashlib.file_digest(video, "sha256").hexdigest()
    return {"file": os.path.abspath(job["file"]), "bytes": os.path.getsize(job["file"]), "sha256": digest}


def metadata(job):
    if FFMPEG:
        probe = json.loads(subprocess.run(["ffprobe", "-v", "error", "-show_streams", "-show_format", "-of", "json",
                                           job["file"]], check=True, capture_output=True).stdout)
        stream = next(s for s in probe["streams"] if s["codec_type"] == "video")
        return {"width": stream["width"], "height": stream["height"], "seconds": float(probe["format"]["duration"])}
    with open(job["file"], "rb") as video:
        header = {field[:1]: field[1:] for field in video.readline().decode().split()[1:]}
    width, height = int(header["W"]), int(header["H"])
    frames = os.path.getsize(job["file"]) // (width * height * 3 // 2 + len("FRAME\n"))
    return {"width": width, "height": height, "seconds": frames / int(header["F"].split(":")[0])}


def thumbnail(job):
    if FFMPEG:
        file = target(job["file"], ".png")
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", job["file"], "-frames:v", "1", file], check=True)
        return {"file": file}
    size, file = metadata(job), target(job["file"], ".pgm")
    with open(job["file"], "rb") as video, open(file, "wb") as image:  # the brightness of the first frame
        video.readline(), video.readline()
        image.write(f"P5 {size['width']} {size['height']} 255\n".encode() + video.read(size["width"] * size["height"]))
    return {"file": file}


def encode(job):
    file = target(job["file"], ".mp4" if FFMPEG else ".gz")
    if FFMPEG:
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", job["file"], "-pix_fmt", "yuv420p", file], check=True)
    else:
        with open(job["file"], "rb") as video, gzip.open(file, "wb", 6) as packed:
            shutil.copyfileobj(video, packed)
    return {"file": file, "bytes": os.path.getsize(file)}


def publish(job):
    manifest = target(job["source"]["file"], ".json")
    with open(manifest + ".tmp", "w") as out:
        json.dump(job, out, indent=2)
    os.replace(manifest + ".tmp", manifest)  # publishing twice gives the same manifest
    return {"manifest": manifest, "title": job["title"]}


HANDLERS = {f"video.{handler.__name__}": handler for handler in (validate, metadata, thumbnail, encode, publish)}

while True:
    try:
        jobs = call("/v1/jobs/poll", {"workerId": WORKER, "jobTypes": list(HANDLERS), "maxJobs": 1, "wait": "20s"})["jobs"]
        for job in jobs:
            lease = {"id": job["id"], "leaseToken": job["leaseToken"]}
            try:
                call("/v1/jobs/complete", {"jobs": [lease | {"result": HANDLERS[job["jobType"]](job["data"])}]})
                print(job["jobType"], job["id"], "done", flush=True)
            except (OSError, ValueError, KeyError, subprocess.CalledProcessError) as error:
                if isinstance(error, urllib.error.URLError):
                    raise
                call("/v1/jobs/fail", {"jobs": [lease | {"error": {"message": repr(error)},
                                                         "retryable": not isinstance(error, FileNotFoundError)}]})
                print(job["jobType"], job["id"], "failed:", error, flush=True)
    except urllib.error.URLError as error:
        print("waiting for the server:", error, flush=True)
        __import__("time").sleep(1)
