import { isInOtherSection } from "./controls.ts";
import type { Outline } from "./outline.ts";
import type { ShownAmount } from "./shown-amounts.ts";
import { isFormerElement, textMarks } from "./text-marks.ts";
import { partPriceNames } from "./words.ts";

/** The distance from the heading, in characters of text, beyond which amounts are ignored. */
const distanceMax = 3_000;

/**
 * Returns the price that a page shows near the heading of its product. Ignores amounts without a
 * currency, former prices, installments, savings, and prices of other products. Returns undefined
 * if no amount remains, if the remaining amounts differ, or if a text such as "from" shows that
 * there are several prices.
 */
export function findShownPrice(
  outline: Outline,
  amounts: readonly ShownAmount[],
): ShownAmount | undefined {
  const { heading } = outline;
  if (heading === undefined) return undefined;
  const near = amounts.filter(
    ({ element, mark }) =>
      mark !== "" &&
      Math.abs(element.textBefore - heading.textBefore) <= distanceMax &&
      !isInOtherSection(element, outline),
  );
  if (near.some((amount) => textMarks(amount).isOpen)) return undefined;
  const own = near.filter((amount) => !isOther(amount));
  return new Set(own.map(({ amount }) => amount)).size === 1 ? own[0] : undefined;
}

/** Returns true for a former price, an installment, a unit price or a saving. */
function isOther(amount: ShownAmount): boolean {
  const { element } = amount;
  const { isFormer, isPart } = textMarks(amount);
  const isNamedPart = partPriceNames.test(`${element.names} ${element.parent?.names ?? ""}`);
  return isFormerElement(element) || isNamedPart || isFormer || isPart;
}
