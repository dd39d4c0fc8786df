import { jsonrepair } from "jsonrepair";

/**
 * Parses a JSON text. Returns undefined if the text is not JSON, or if its value is not an object
 * or an array.
 */
export function jsonObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Parses a string that is almost JSON, such as a literal of JavaScript. Never evaluates the string
 * as code. Returns undefined if the string cannot be repaired to an object or an array. Repair is
 * slow, so callers must limit the length of the text.
 */
export function parseAlmostJson(text: string): object | undefined {
  try {
    return jsonObject(jsonrepair(text));
  } catch {
    return undefined;
  }
}
