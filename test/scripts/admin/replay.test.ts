import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { startFauxqs } from "fauxqs";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { replayDeadLetters } from "../../../scripts/admin/replay.ts";

const settings = {
  region: "us-east-1",
  credentials: { accessKeyId: "test", secretAccessKey: "test" },
  maxAttempts: 1,
};

describe("a replay of dead letters without the message move task of SQS", () => {
  let fauxqs: Awaited<ReturnType<typeof startFauxqs>>;
  let sqs: SQSClient;
  let urls: { queue: string; deadLetters: string };
  let made = 0;

  beforeAll(async () => {
    fauxqs = await startFauxqs({ port: 0, logger: false });
    sqs = new SQSClient({ ...settings, endpoint: `http://127.0.0.1:${fauxqs.port}` });
  });
  afterAll(async () => {
    sqs.destroy();
    await fauxqs.stop();
  });
  beforeEach(() => {
    made += 1;
    const urlOf = (name: string): string => fauxqs.createQueue(`${name}-${made}`).queueUrl;
    urls = { queue: urlOf("queue"), deadLetters: urlOf("dead") };
  });

  const bury = async (bodies: readonly string[]): Promise<void> => {
    for (const body of bodies) {
      await sqs.send(
        new SendMessageCommand({
          QueueUrl: urls.deadLetters,
          MessageBody: body,
          MessageAttributes: { trace: { DataType: "String", StringValue: "t-1" } },
        }),
      );
    }
  };

  /** Receives all messages of a queue: bodies with their trace headers. */
  async function drain(QueueUrl: string): Promise<(readonly [string, string | undefined])[]> {
    const found: (readonly [string, string | undefined])[] = [];
    for (;;) {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: 10,
          MessageAttributeNames: ["All"],
        }),
      );
      if (Messages.length === 0) return found.toSorted(([a], [b]) => (a < b ? -1 : 1));
      for (const { Body = "", MessageAttributes, ReceiptHandle } of Messages) {
        found.push([Body, MessageAttributes?.["trace"]?.StringValue]);
        await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      }
    }
  }

  it("moves every message to its original queue with its attributes", async () => {
    const bodies = Array.from({ length: 23 }, (_, n) => `message ${String(n).padStart(2, "0")}`);
    await bury(bodies);

    expect(await replayDeadLetters(sqs, urls)).toEqual({ moved: 23, state: "completed" });

    expect(await drain(urls.queue)).toEqual(bodies.map((body) => [body, "t-1"]));
    expect(await drain(urls.deadLetters)).toEqual([]);
  });

  it("loses no message if the replay is interrupted between sending a message and deleting it from the dead-letter queue", async () => {
    await bury(["a", "b", "c"]);
    let deletions = 0;
    sqs.middlewareStack.add(
      (next, context) => (call) => {
        if (context.commandName !== "DeleteMessageCommand") return next(call);
        deletions += 1;
        if (deletions === 2) throw new Error("stopped");
        return next(call);
      },
      { step: "initialize", name: "stop" },
    );

    await expect(replayDeadLetters(sqs, urls)).rejects.toThrow("stopped");
    sqs.middlewareStack.remove("stop");

    expect(await drain(urls.queue)).toEqual([
      ["a", "t-1"],
      ["b", "t-1"],
    ]);
    expect(
      fauxqs.inspectQueue(`dead-${made}`)?.messages.inflight.map(({ message }) => message.body),
    ).toEqual(["b", "c"]);
  });

  it("moves only as many messages as the dead-letter queue had at the start, even if some return to it", async () => {
    await bury(["a", "b"]);
    sqs.middlewareStack.add(
      (next, context) => async (call) => {
        const answer = await next(call);
        if (context.commandName === "SendMessageCommand" && "QueueUrl" in call.input) {
          if (call.input.QueueUrl === urls.queue) await bury(["again"]);
        }
        return answer;
      },
      { step: "initialize", name: "die" },
    );

    expect(await replayDeadLetters(sqs, urls)).toMatchObject({ moved: 2 });
    sqs.middlewareStack.remove("die");

    expect((await drain(urls.deadLetters)).length).toBe(2);
  });
});

describe("a replay of dead letters with the message move task of SQS", () => {
  let server: Server;
  let sqs: SQSClient;
  /** The requests that the test's SQS server received: action and body, in order. */
  let asked: (readonly [string, unknown])[];
  let task: Record<string, unknown>[];

  beforeAll(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const action = String(request.headers["x-amz-target"]).split(".")[1] ?? "";
        asked.push([action, JSON.parse(Buffer.concat(chunks).toString())]);
        response.setHeader("content-type", "application/x-amz-json-1.0");
        response.end(JSON.stringify(answerTo(action)));
      });
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const { port } = server.address() as AddressInfo;
    sqs = new SQSClient({ ...settings, endpoint: `http://127.0.0.1:${port}` });
  });
  afterAll(() => {
    sqs.destroy();
    server.close();
  });
  beforeEach(() => {
    asked = [];
  });

  const arn = "arn:aws:sqs:us-east-1:000000000000:dead";
  const urls = { queue: "http://localhost/queue", deadLetters: "http://localhost/dead" };

  function answerTo(action: string): unknown {
    if (action === "GetQueueAttributes") {
      return { Attributes: { QueueArn: arn, ApproximateNumberOfMessages: "7" } };
    }
    if (action === "ListMessageMoveTasks") return { Results: [task.shift()] };
    return { TaskHandle: "task" };
  }

  it("starts the move task for the dead-letter queue, and waits until it ends", async () => {
    task = [
      { Status: "RUNNING", ApproximateNumberOfMessagesMoved: 3 },
      { Status: "COMPLETED", ApproximateNumberOfMessagesMoved: 7 },
    ];

    expect(await replayDeadLetters(sqs, urls)).toEqual({ moved: 7, state: "completed" });

    expect(asked).toContainEqual(["StartMessageMoveTask", { SourceArn: arn }]);
    expect(asked.map(([action]) => action)).not.toContain("ReceiveMessage");
  });

  it("reports the reason when SQS stops the move task", async () => {
    task = [
      { Status: "FAILED", ApproximateNumberOfMessagesMoved: 2, FailureReason: "AccessDenied" },
    ];

    await expect(replayDeadLetters(sqs, urls)).rejects.toThrow(
      "SQS stopped the move after 2 messages: AccessDenied. Repeat the command to move the other messages.",
    );
  });
});
