import {
  TransactionCanceledException,
  TransactionConflictException,
} from "@aws-sdk/client-dynamodb";

/** An item by its table and key. */
export interface ItemKey {
  readonly table: string;
  readonly pk: string;
  readonly sk: string;
}

/** What writes in flight do to an item: plain writes occupy it, a transaction locks it. */
export interface ItemInFlight {
  readonly isOccupied: boolean;
  readonly isLocked: boolean;
}

/**
 * The error with which DynamoDB refuses a write that meets other writes in flight on its items;
 * undefined for one that it accepts. An accepted plain write waits for the plain writes before it.
 * The emulator refuses none: its writes take no time. `items` has the order of the request.
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

/** The items that a request writes; a transaction locks the items that it only checks as well. */
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
