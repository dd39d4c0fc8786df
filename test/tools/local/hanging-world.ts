/**
 * A world in a separate process whose worker never ends. Prints `received` when the worker gets a
 * message.
 */
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { startWorld } from "../../../tools/local/world.ts";
import { loadFixture } from "./fixture-handlers.ts";
import { fixtureStacks } from "./fixture-stacks.ts";

const world = await startWorld({
  dir: process.argv[2] ?? "",
  port: 0,
  fresh: false,
  stacks: async () => fixtureStacks,
  loadHandler: loadFixture({
    worker: async () => {
      process.stdout.write("received\n");
      await new Promise(() => {});
    },
  }),
  seed: async () => ({ apiKey: "a", demoApiKey: "b" }),
});
await new SQSClient({}).send(
  new SendMessageCommand({
    QueueUrl: world.environmentOf("echo")["JOBS_URL"],
    MessageBody: "survivor",
  }),
);
