import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { startFauxqs } from "fauxqs";
import { pointClientsAt } from "../../../tools/local/aws-environment.ts";
import { startTemporaryDynamo } from "../../../tools/local/temporary-dynamo.ts";
import { createBenchTable } from "../bench-dynamo.ts";

/** The addresses and names that the processes of the bench use. */
export interface DeliveryServers {
  readonly tableName: string;
  /** The endpoint of S3 and SQS. */
  readonly fauxqsUrl: string;
  readonly eventsBucket: string;
  readonly customerBucket: string;
  readonly queueUrl: string;
  stop(): Promise<void>;
}

const tableName = "deliveries";
const eventsBucket = "events";
const customerBucket = "customer";

/**
 * Starts servers with a table, a queue, the service's bucket and a customer's bucket. All AWS
 * clients of this process and of its child processes use them.
 */
export async function startDeliveryServers(): Promise<DeliveryServers> {
  const dynamo = await startTemporaryDynamo();
  pointClientsAt({ dynamodb: dynamo.endpoint });
  const client = new DynamoDBClient({});
  await createBenchTable(client, tableName);
  client.destroy();
  const fauxqs = await startFauxqs({ port: 0, logger: false });
  for (const bucket of [eventsBucket, customerBucket]) fauxqs.createBucket(bucket);
  const { queueUrl } = fauxqs.createQueue("deliveries");
  const fauxqsUrl = `http://127.0.0.1:${fauxqs.port}`;
  pointClientsAt({ s3: fauxqsUrl, sqs: fauxqsUrl });
  return {
    tableName,
    fauxqsUrl,
    eventsBucket,
    customerBucket,
    queueUrl,
    async stop() {
      await fauxqs.stop();
      await dynamo.stop();
    },
  };
}
