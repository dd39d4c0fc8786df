import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { accountKeys } from "../table/table.ts";

/** Maximum duration of the check, in milliseconds, retries included. */
const checkMsMax = 2_000;

/**
 * Creates a check that the accounts table responds. It makes one read, of a key that does not exist
 * but is in the range that every function may read. The check rejects with the error of the read,
 * which is aborted after `checkMsMax` milliseconds.
 */
export const accountsTableCheck =
  (client: DynamoDBDocumentClient, table: string) => (): Promise<unknown> => {
    const command = new GetCommand({ TableName: table, Key: accountKeys.keyHash("health") });
    return client.send(command, { abortSignal: AbortSignal.timeout(checkMsMax) });
  };
