import type { JsonObject } from "./tool.ts";

/**
 * Returns the object in the field `name` of a result; an empty object if the field is not an
 * object.
 */
export const objectIn = (result: JsonObject, name: string): JsonObject => {
  const value = result[name];
  return typeof value === "object" && value !== null ? { ...value } : {};
};

/**
 * Returns the number of entries in the array field `name` of a result; 0 if the field is not an
 * array.
 */
export const lengthIn = (result: JsonObject, name: string): number => {
  const value = result[name];
  return Array.isArray(value) ? value.length : 0;
};
