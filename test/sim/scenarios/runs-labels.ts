import assert from "node:assert/strict";

/** What a user sets about an item. */
export interface Labels {
  readonly label?: string;
  readonly metadata?: Readonly<Record<string, number>>;
}

/** A call that sets the labels of an item, or removes them with the item. */
export interface LabelCall {
  readonly labels: Labels;
  /** The time at which the call began, in milliseconds. */
  readonly begins: number;
  /**
   * The time of its successful response; infinite without one, because the call may then take effect
   * at any later time.
   */
  ends: number;
}

/** The calls about each item, by item ID. */
export type LabelCalls = Map<string, LabelCall[]>;

const hasLabels = (id: string): boolean => Number.parseInt(id.slice(-1), 36) % 2 === 0;

/**
 * Returns an item of a body: an ID, or an object with labels, which only every other item has.
 * @param number makes the labels of each call unique
 */
export function labeledItem(
  id: string,
  number: number,
): string | ({ readonly id: string } & Labels) {
  if (!hasLabels(id) || number % 3 === 1) return id;
  return { id, label: `set ${number}`, metadata: { set: number } };
}

/** Records a call that has begun. Returns its records. */
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
 * Returns the labels that an item may have had at some time of a span: those of a call that had begun,
 * unless a later call had ended before the span. No labels if no call had ended.
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

/** Checks that labels are one of the possible ones. */
export function assertLabels(shown: Labels, possible: readonly Labels[], name: string): void {
  const texts = possible.map((labels) => JSON.stringify([labels.label, labels.metadata]));
  assert(
    texts.includes(JSON.stringify([shown.label, shown.metadata])),
    `${name} has ${JSON.stringify(shown)}, but could have ${texts.join(" or ")}`,
  );
}
