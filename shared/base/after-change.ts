/** The value after a change; `unchanged` if the change has no effect. */
export type Changed<Value> = Value | "unchanged";

/** Returns the value after a change, whether or not the change has an effect. */
export const afterChange = <Value>(before: Value, change: Changed<Value>): Value =>
  change === "unchanged" ? before : change;
