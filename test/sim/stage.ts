import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/** The DynamoDB engine and the table of one seed. */
export interface Stage {
  readonly endpoint: string;
  /** A client without faults, for set-up and checks. */
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
}
