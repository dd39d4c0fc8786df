import assert from "node:assert/strict";

/** The label and the metadata that a user sets for an item. */
export interface Labels {
  readonly label?: string;
  readonly metadata?: Readonly<Record<string, number>>;
}

/**
 * A call that sets the label and the metadata of an item, or that removes the item and therefore
 * its label and metadata.
 */
export interface LabelCall {
  readonly labels: Labels;
  /** The time at which the call began, in milliseconds. */
  readonly begins: number;
  /**
   * The time of the call's successful response, in milliseconds. Infinite without such a response,
   * because the call may then take effect at any later time.
   */
  ends: number;
}

/** The calls that set or remove labels, by item ID, in the order of their starts. */
export type LabelCalls = Map<string, LabelCall[]>;

const hasLabels = (id: string): boolean => Number.parseInt(id.slice(-1), 36) % 2 === 0;

/**
 * Returns an item for the body of a call: the ID, or an object with a label and metadata. About
 * half of the IDs never get labels.
 * @param number makes the labels of each call unique; every third number gives only the ID
 */
export function labeledItem(
  id: string,
  number: number,
): string | ({ readonly id: string } & Labels) {
  if (!hasLabels(id) || number % 3 === 1) return id;
  return { id, label: `set ${number}`, metadata: { set: number } };
}

/**
 * Records in `calls` that a call sets labels: one record for each item with labels. Returns these
 * records, whose `ends` is infinite.
 * @param begins the time at which the call began, in milliseconds
 */
export function noteLabels(
  calls: LabelCalls,
  items: readonly (string | ({ readonly id: string } & Labels))[],
  begins: number,
): readonly LabelCall[] {
  return items.flatMap((item) => {
    if (typeof item === "string") return [];
    const { id, ...labels } = item;
    const call: LabelCall = { labels, begins, ends: Infinity };
    calls.set(id, [...(calls.get(id) ?? []), call]);
    return [call];
  });
}

/**
 * Returns all labels that an item may have had between the times `from` and `to`. Contains the
 * labels of each call that began before `to`. Leaves out labels that a later call replaced before
 * `from`. Also contains empty labels, as before the first call, if no call ended before `from`.
 * @param calls the calls of the item
 */
export function labelsDuring(
  calls: readonly LabelCall[],
  { from, to }: { readonly from: number; readonly to: number },
): readonly Labels[] {
  const first: LabelCall = { labels: {}, begins: -Infinity, ends: -Infinity };
  const begun = [first, ...calls].filter(({ begins }) => begins <= to);
  const isReplaced = (call: LabelCall): boolean =>
    begun.some((later) => later !== call && later.begins >= call.ends && later.ends <= from);
  return begun.filter((call) => !isReplaced(call)).map(({ labels }) => labels);
}

/**
 * Checks that the label and metadata of an item are in the list of possible labels.
 * @param name names the item in the message of the error
 * @throws AssertionError if they are not in the list
 */
export function assertLabels(shown: Labels, possible: readonly Labels[], name: string): void {
  const texts = possible.map((labels) => JSON.stringify([labels.label, labels.metadata]));
  assert(
    texts.includes(JSON.stringify([shown.label, shown.metadata])),
    `${name} has ${JSON.stringify(shown)}, but could have ${texts.join(" or ")}`,
  );
}
