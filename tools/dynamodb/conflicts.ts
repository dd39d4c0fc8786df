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

/** The effect of writes in flight on an item: plain writes occupy it, a transaction locks it. */
export interface ItemInFlight {
  readonly isOccupied: boolean;
  readonly isLocked: boolean;
}

/**
 * Returns the error with which DynamoDB refuses a write whose items have other writes in flight;
 * undefined if it accepts the write. An accepted plain write waits for the plain writes before it.
 *
 * The emulator refuses no write, because its writes take no time. `items` is in the order of the
 * request.
 */
export function conflictOf(
  isTransaction: boolean,
  items: readonly ItemInFlight[],
): Error | undefined {
  const locked = items.map(({ isLocked }) => isLocked);
  if (!isTransaction) return locked.includes(true) ? conflict() : undefined;
  const busy = items.map(({ isOccupied, isLocked }) => isOccupied || isLocked);
  return busy.includes(true) ? cancelled(busy) : undefined;
}

const metadata = { $metadata: { httpStatusCode: 400 } };

const conflict = (): Error =>
  new TransactionConflictException({
    ...metadata,
    message: "A transaction is in progress on the item",
  });

const cancelled = (conflicts: readonly boolean[]): Error =>
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
 * Returns the items that a request writes. A transaction also locks the items that it only checks.
 */
export function itemsWritten(
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
