import { textBoundary } from "../text-boundary.ts";
import type { ShownAmount } from "./shown-amounts.ts";

const lengthMax = 40;

/**
 * Returns the text on both sides of an amount, at most 40 characters each. Includes the texts of
 * the elements around the amount's own.
 */
export function surroundings({ element, before, after, isAttribute }: ShownAmount): {
  readonly left: string;
  readonly right: string;
} {
  if (isAttribute) return { left: "", right: "" };
  let [left, right] = [before, after];
  let inner = element;
  for (let outer = element.parent; outer !== undefined && !outer.isCut; outer = outer.parent) {
    if (left.length + right.length > lengthMax) break;
    const at = outer.text.indexOf(inner.text);
    if (at === -1) break;
    left = `${outer.text.slice(0, at)} ${left}`;
    right = `${right} ${outer.text.slice(at + inner.text.length)}`;
    inner = outer;
  }
  return {
    left: spaced(left).trim().slice(-lengthMax),
    right: spaced(right).trim().slice(0, lengthMax),
  };
}

const spaced = (text: string): string => text.replaceAll(textBoundary, " ");
