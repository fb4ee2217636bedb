// The video pipeline with the SDK for TypeScript. What it does to videos is in video.mjs.
import { existsSync } from "node:fs";
import { Client, NonRetryable, Worker, defineActivity } from "trunkline";
import { digest, firstFrame, manifest, pack, size } from "./video.mjs";

const activities = [
  defineActivity("video.validate", ({ file }) => {
    if (!existsSync(file)) throw new NonRetryable(`there is no file ${file}`);
    return digest(file);
  }),
  defineActivity("video.metadata", ({ file }) => size(file)),
  defineActivity("video.thumbnail", async ({ file }) => ({ file: await firstFrame(file) })),
  defineActivity("video.encode", ({ file }, ctx) => {
    ctx.log.info("encoding", { file });
    return pack(file);
  }),
  defineActivity("video.publish", async (job) => ({ manifest: await manifest(job.source.file, job), title: job.title })),
];

await new Worker(new Client(), { activities, concurrency: 4 }).run();
