// The video pipeline with the SDK for TypeScript. Reads YUV4MPEG2.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, open, readFile, stat, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { Client, NonRetryable, Worker, defineActivity } from "trunkline";

const out = process.env.VIDEO_OUT ?? "data/video";
const target = (file, suffix) => join(out, basename(file) + suffix);

async function sizeOf(file) {
  const video = await open(file);
  const { buffer } = await video.read(Buffer.alloc(256), 0, 256, 0);
  await video.close();
  const header = buffer.toString("latin1").split("\n")[0];
  const field = (name) => Number.parseInt(header.split(" ").find((part) => part.startsWith(name))?.slice(1), 10);
  return { width: field("W"), height: field("H"), fps: field("F"), start: header.length + 1 };
}

const activities = [
  defineActivity("video.validate", async ({ file }) => {
    if (!existsSync(file)) throw new NonRetryable(`there is no file ${file}`);
    const bytes = await readFile(file);
    return { file: resolve(file), bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
  }),
  defineActivity("video.metadata", async ({ file }) => {
    const { width, height, fps } = await sizeOf(file);
    const frames = Math.floor((await stat(file)).size / ((width * height * 3) / 2 + "FRAME\n".length));
    return { width, height, seconds: frames / fps };
  }),
  defineActivity("video.thumbnail", async ({ file }) => {
    const { width, height, start } = await sizeOf(file);
    const luma = (await readFile(file)).subarray(start + 6, start + 6 + width * height); // of the first frame
    await writeFile(target(file, ".pgm"), Buffer.concat([Buffer.from(`P5 ${width} ${height} 255\n`), luma]));
    return { file: target(file, ".pgm") };
  }),
  defineActivity("video.encode", async ({ file }, ctx) => {
    ctx.log.info("encoding", { file });
    const packed = await promisify(gzip)(await readFile(file), { level: 6 });
    await writeFile(target(file, ".gz"), packed);
    return { file: target(file, ".gz"), bytes: packed.length };
  }),
  defineActivity("video.publish", async (job) => {
    await writeFile(target(job.source.file, ".json"), JSON.stringify(job, null, 2));
    return { manifest: target(job.source.file, ".json"), title: job.title };
  }),
];

await mkdir(out, { recursive: true });
await new Worker(new Client(), { activities, concurrency: 4 }).run();
