import {
  TransactionCanceledException,
  TransactionConflictException,
} from "@aws-sdk/client-dynamodb";

/** The table and key of an item. */
export interface ItemKey {
  readonly table: string;
  readonly pk: string;
  readonly sk: string;
}

/** The writes in flight on an item: a plain write occupies the item, and a transaction locks it. */
export interface ItemInFlight {
  /** True if a plain write of the item is in flight. */
  readonly isOccupied: boolean;
  /** True if a transaction with the item is in flight. */
  readonly isLocked: boolean;
}

/**
 * Returns the error with which DynamoDB refuses a write because of other writes in flight on the
 * written items; undefined if DynamoDB accepts the write. A plain write (a write without a
 * transaction) that DynamoDB accepts waits for earlier plain writes of the item. The local engine
 * never returns this error, because its writes take no time.
 * @param isTransaction true if the write is a transaction
 * @param items the state of each written item, in the order of the request
 */
export function conflictOf(
  isTransaction: boolean,
  items: readonly ItemInFlight[],
): Error | undefined {
  const locked = items.map(({ isLocked }) => isLocked);
  if (!isTransaction) return locked.includes(true) ? conflict() : undefined;
  const busy = items.map(({ isOccupied, isLocked }) => isOccupied || isLocked);
  return busy.includes(true) ? cancellation(busy) : undefined;
}

const metadata = { $metadata: { httpStatusCode: 400 } };

const conflict = (): Error =>
  new TransactionConflictException({
    ...metadata,
    message: "A transaction is in progress on the item",
  });

const cancellation = (conflicts: readonly boolean[]): Error =>
  new TransactionCanceledException({
    ...metadata,
    message: "Transaction cancelled",
    CancellationReasons: conflicts.map((isConflict) => ({
      Code: isConflict ? "TransactionConflict" : "None",
    })),
  });

type Attributes = Readonly<Record<string, { readonly S?: string }>>;
interface Write {
  readonly TableName?: string;
  readonly Key?: Attributes;
  readonly Item?: Attributes;
}

/**
 * Returns the items that a request writes, or that its transaction only checks, because a
 * transaction locks both. Returns an empty list for a request that only reads.
 * @param operation the operation of DynamoDB's API, such as `PutItem`
 * @param body the request's JSON body
 */
export function itemsLockedBy(
  operation: string,
  body: Readonly<Record<string, unknown>>,
): readonly ItemKey[] {
  switch (operation) {
    case "PutItem":
    case "UpdateItem":
    case "DeleteItem":
      return [keyOf(body)];
    case "BatchWriteItem":
      return Object.entries(
        body["RequestItems"] as Record<string, readonly Record<string, Write>[]>,
      ).flatMap(([table, writes]) =>
        writes.flatMap((write) =>
          Object.values(write).map((one) => keyOf({ TableName: table, ...one })),
        ),
      );
    case "TransactWriteItems":
      return (body["TransactItems"] as readonly Record<string, Write>[]).flatMap((item) =>
        Object.values(item).map(keyOf),
      );
    default:
      return [];
  }
}

function keyOf({ TableName = "", Key, Item }: Write): ItemKey {
  const key = Key ?? Item ?? {};
  return { table: TableName, pk: key["pk"]?.S ?? "", sk: key["sk"]?.S ?? "" };
}
