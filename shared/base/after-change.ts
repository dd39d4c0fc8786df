/** The value after a change; `unchanged` if the change has no effect. */
export type Changed<Value> = Value | "unchanged";

/**
 * Returns the value after a change: the new value of a change with an effect, otherwise `before`.
 */
export const afterChange = <Value>(before: Value, change: Changed<Value>): Value =>
  change === "unchanged" ? before : change;
