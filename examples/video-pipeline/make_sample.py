"""Writes a small real video (YUV4MPEG2, a format that ffmpeg reads too): python3 make_sample.py sample.y4m"""
import sys

WIDTH, HEIGHT, FPS, FRAMES = 160, 120, 25, 50

with open(sys.argv[1], "wb") as out:
    out.write(f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F{FPS}:1 Ip A1:1 C420\n".encode())
    for frame in range(FRAMES):
        luma = bytes((x + 2 * y + 5 * frame) % 256 for y in range(HEIGHT) for x in range(WIDTH))
        chroma = bytes((x + frame) % 256 for _ in range(HEIGHT // 2) for x in range(WIDTH // 2))
        out.write(b"FRAME\n" + luma + chroma + chroma)
