import type { JsonObject } from "./tool.ts";

/** Returns a field of a result that is an object; an empty object if it is not. */
export const objectIn = (result: JsonObject, name: string): JsonObject => {
  const value = result[name];
  return typeof value === "object" && value !== null ? { ...value } : {};
};

/** Returns the number of entries of a list in a result; 0 if the field is no list. */
export const lengthIn = (result: JsonObject, name: string): number => {
  const value = result[name];
  return Array.isArray(value) ? value.length : 0;
};
