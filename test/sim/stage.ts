import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/** The DynamoDB engine of a seed, and the table that the seed uses. */
export interface Stage {
  readonly endpoint: string;
  /** A client without faults, for the set-up and the checks. */
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
}
