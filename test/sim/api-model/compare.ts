/**
 * A predicted value. It is compared deeply. A function in it is called with the actual value and
 * returns whether it accepts the value.
 */
export type Predicted = unknown;
export type Like = (actual: unknown) => boolean;

export const anything: Like = () => true;
export const idOf =
  (prefix: string): Like =>
  (actual) =>
    typeof actual === "string" && new RegExp(`^${prefix}_[0-9a-z]{24}$`).test(actual);
export const aText: Like = (actual) => typeof actual === "string" && actual !== "";
export const aCount: Like = (actual) => Number.isInteger(actual) && Number(actual) >= 0;
export const oneOf =
  (...values: readonly unknown[]): Like =>
  (actual) =>
    values.includes(actual);

/**
 * Compares an actual value with its prediction. Returns one text for each difference, with its
 * path; an empty list if there are none.
 */
export function differences(actual: unknown, predicted: Predicted, place = ""): readonly string[] {
  if (typeof predicted === "function") {
    return (predicted as Like)(actual) ? [] : [`${place}: ${shown(actual)} is not as predicted`];
  }
  if (Array.isArray(predicted)) {
    if (!Array.isArray(actual) || actual.length !== predicted.length) {
      return [`${place}: ${shown(actual)}, predicted ${shown(predicted)}`];
    }
    return predicted.flatMap((one, at) => differences(actual[at], one, `${place}[${at}]`));
  }
  if (isRecord(predicted)) {
    if (!isRecord(actual)) return [`${place}: ${shown(actual)}, predicted ${shown(predicted)}`];
    const keys = new Set([...Object.keys(predicted), ...Object.keys(actual)]);
    return [...keys].flatMap((key) => differences(actual[key], predicted[key], `${place}.${key}`));
  }
  return Object.is(actual, predicted)
    ? []
    : [`${place}: ${shown(actual)}, predicted ${shown(predicted)}`];
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const shown = (value: unknown): string =>
  typeof value === "function" ? "(a rule)" : (JSON.stringify(value)?.slice(0, 600) ?? "nothing");
