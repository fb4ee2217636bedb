// A worker for groups of several languages: it serves one job type from Kafka and says on standard output what it ran.
import { Client, Worker, defineActivity } from "trunkline";
import "trunkline/kafka";

const handle = defineActivity(process.argv[2], async ({ ms }, ctx) => {
  await new Promise((resolve) => setTimeout(resolve, ms));
  process.stdout.write(`ran ${ctx.jobId} ${ctx.attempt}\n`);
  return "typescript";
});
const client = new Client();
await new Worker(client, { activities: [handle], concurrency: 4 }).run();
await client.close();
