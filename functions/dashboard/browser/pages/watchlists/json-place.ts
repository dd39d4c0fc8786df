/** The start and end offset of a value in a string. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the position of a value in a well-formed JSON text. If the value does not exist, such as
 * a missing key, returns the position of the innermost object or array on the path that exists.
 * @param path the path of the value, such as `steps[0].routes[1].when`
 */
export function placeInJson(text: string, path: string): Place {
  const wanted = path.match(/[^.[\]]+/g) ?? [];
  const tokens = [...text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s[\]{}:,"]+/g)];
  let at = 0;
  let found: Place = { start: 0, end: text.length };

  /**
   * Reads one value. `trail` is the number of path segments that lead to the value; undefined if
   * the value is not on the path.
   */
  const value = (trail: number | undefined): void => {
    const first = tokens[at];
    if (first === undefined) return;
    at += 1;
    if (first[0] === "{" || first[0] === "[") members(first[0], trail);
    const last = tokens[at - 1] ?? first;
    if (trail !== undefined && trail === deepest) {
      found = { start: first.index, end: last.index + last[0].length };
    }
  };
  let deepest = 0;
  const members = (open: string, trail: number | undefined): void => {
    for (let index = 0; at < tokens.length; index += 1) {
      const token = tokens[at]?.[0] ?? "";
      if (token === "}" || token === "]") break;
      let name = String(index);
      if (open === "{") {
        name = String(JSON.parse(token));
        at += 2;
      }
      const isOn = trail !== undefined && wanted[trail] === name;
      if (isOn) deepest = Math.max(deepest, trail + 1);
      value(isOn ? trail + 1 : undefined);
      if (tokens[at]?.[0] === ",") at += 1;
    }
    at += 1;
  };
  value(0);
  return found;
}

/** Returns the line of an offset, counted from 1. */
export const lineAt = (text: string, offset: number): number =>
  text.slice(0, offset).split("\n").length;

/**
 * Returns the reason why a string is not JSON, with its position. The position is the end of the
 * text if the browser reports none. Returns undefined if the text is JSON.
 */
export function jsonProblem(text: string): { message: string; place: Place } | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const offset = /position (\d+)/.exec(message)?.[1];
    const start = offset === undefined ? text.length : Number(offset);
    const reason = message.replace(/( in JSON)? at position.*/s, "").replace(/, "[^]*/, "");
    return { message: `This is not valid JSON: ${reason}.`, place: { start, end: start + 1 } };
  }
}
