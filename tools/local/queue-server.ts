import { DatabaseSync } from "node:sqlite";
import { ChangeMessageVisibilityCommand, SQSClient } from "@aws-sdk/client-sqs";
import { startFauxqs } from "fauxqs";
import type { FauxqsServer } from "fauxqs";
import type { DataFolder } from "./data-folder.ts";
import { isPortTaken, previousPort, rememberPort } from "./local-server.ts";
import { localAccount } from "./template.ts";

/** The emulator of SQS and S3. Both are served at one endpoint. */
export interface QueueServer {
  readonly endpoint: string;
  /** The part of a queue's URL before the queue's name, without the slash. */
  readonly queueUrlBase: string;
  /** Makes visible again the messages that were in flight when the previous process ended. */
  releaseInFlight(queueUrl: string): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts the emulator of SQS and S3 on the data folder, at the port of the previous start if that
 * port is free.
 */
export async function startQueueServer(folder: DataFolder): Promise<QueueServer> {
  const server = await startAtPreviousPort(folder);
  keepReceiveCounts(folder.file("fauxqs.db"));
  const endpoint = `http://127.0.0.1:${server.port}`;
  return {
    endpoint,
    queueUrlBase: `${endpoint}/${localAccount.id}`,
    releaseInFlight: async (queueUrl) => releaseInFlight(server, queueUrl),
    stop: async () => server.stop(),
  };
}

async function startAtPreviousPort(folder: DataFolder): Promise<FauxqsServer> {
  const start = async (port: number): Promise<FauxqsServer> =>
    startFauxqs({
      port,
      logger: false,
      dataDir: folder.path,
      defaultRegion: localAccount.region,
    });
  const server = await start(previousPort(folder, "queues")).catch(async (error: unknown) => {
    if (!isPortTaken(error)) throw error;
    return start(0);
  });
  rememberPort(folder, "queues", server.port);
  return server;
}

/**
 * Works around a bug of the emulator. For a visibility timeout of 0, the emulator writes a null
 * receive count, which its database refuses. The message would then stay invisible until the next
 * start. This trigger makes the message visible and keeps the count.
 */
function keepReceiveCounts(file: string): void {
  const database = new DatabaseSync(file);
  database.exec(`
    CREATE TRIGGER IF NOT EXISTS keep_receive_count BEFORE UPDATE ON sqs_messages
    WHEN NEW.approximate_receive_count IS NULL
    BEGIN
      UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL
        WHERE message_id = OLD.message_id;
      SELECT RAISE(IGNORE);
    END`);
  database.close();
}

async function releaseInFlight(server: FauxqsServer, queueUrl: string): Promise<void> {
  const name = queueUrl.slice(queueUrl.lastIndexOf("/") + 1);
  const inFlight = server.inspectQueue(name)?.messages.inflight ?? [];
  if (inFlight.length === 0) return;
  const client = new SQSClient({});
  try {
    for (const { receiptHandle } of inFlight) {
      await client.send(
        new ChangeMessageVisibilityCommand({
          QueueUrl: queueUrl,
          ReceiptHandle: receiptHandle,
          VisibilityTimeout: 0,
        }),
      );
    }
  } finally {
    client.destroy();
  }
}
