import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/** Where a seed is played: a real DynamoDB engine, and a table for this seed only. */
export interface Stage {
  readonly endpoint: string;
  /** Without faults, for what is set up and looked at. */
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
}
