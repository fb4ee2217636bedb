// What the pipeline does to a video: YUV4MPEG2, with Node alone.
import { createHash } from "node:crypto";
import { mkdir, open, readFile, stat, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

const out = process.env.VIDEO_OUT ?? "data/video";
await mkdir(out, { recursive: true });
const target = (file, suffix) => join(out, basename(file) + suffix);

async function headerOf(file) {
  const video = await open(file);
  const { buffer } = await video.read(Buffer.alloc(256), 0, 256, 0);
  await video.close();
  const header = buffer.toString("latin1").split("\n")[0];
  const field = (name) => Number.parseInt(header.split(" ").find((part) => part.startsWith(name))?.slice(1), 10);
  return { width: field("W"), height: field("H"), fps: field("F"), start: header.length + 1 };
}

export async function digest(file) {
  const bytes = await readFile(file);
  return { file: resolve(file), bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}

export async function size(file) {
  const { width, height, fps } = await headerOf(file);
  const frames = Math.floor((await stat(file)).size / ((width * height * 3) / 2 + "FRAME\n".length));
  return { width, height, seconds: frames / fps };
}

export async function firstFrame(file) {
  const { width, height, start } = await headerOf(file);
  const luma = (await readFile(file)).subarray(start + 6, start + 6 + width * height);
  await writeFile(target(file, ".pgm"), Buffer.concat([Buffer.from(`P5 ${width} ${height} 255\n`), luma]));
  return target(file, ".pgm");
}

export async function pack(file) {
  const packed = await promisify(gzip)(await readFile(file), { level: 6 });
  await writeFile(target(file, ".gz"), packed);
  return { file: target(file, ".gz"), bytes: packed.length };
}

export async function manifest(file, content) {
  await writeFile(target(file, ".json"), JSON.stringify(content, null, 2));
  return target(file, ".json");
}
