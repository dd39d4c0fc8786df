import { jsonrepair } from "jsonrepair";

/** Parses a JSON text. Returns undefined unless it is an object or an array. */
export function jsonObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Parses a string that is almost JSON, such as a literal of JavaScript. Never evaluates it as code.
 * Repair is slow, so callers must limit the length of the text.
 */
export function parseAlmostJson(text: string): object | undefined {
  try {
    return jsonObject(jsonrepair(text));
  } catch {
    return undefined;
  }
}
