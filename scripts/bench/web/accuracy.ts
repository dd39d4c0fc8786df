import { availabilityOf } from "../../../shared/sources/web/availability-word.ts";
import type { Extraction } from "../../../shared/sources/web/extract-product.ts";
import type { LabeledPage } from "../../../tools/labeled-pages/labeled-page.ts";

/**
 * The accuracy of one extraction method. `precision`, `recall` and `f1` are from 0 to 1. The last
 * three fields are numbers of pages: with a correct value, with a reported value, and with a true
 * value.
 */
export interface Accuracy {
  /** The name of the extraction method. */
  readonly readers: string;
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  readonly right: number;
  readonly reported: number;
  readonly true: number;
}

/** The data that one extraction method read from one page. */
export interface Reading {
  readonly page: LabeledPage;
  readonly extraction: Extraction;
}

/**
 * Returns the accuracy of the prices.
 * @param method The name of the extraction method.
 * @param readings What the method read, and the correct values.
 */
export const priceAccuracy = (method: string, readings: readonly Reading[]): Accuracy =>
  accuracyOf(
    method,
    readings.map(({ page: { prices }, extraction }) => {
      const amount = factsIn(extraction).price?.amount;
      return {
        isThere: prices.length > 0,
        isReported: amount !== undefined,
        isRight: amount !== undefined && prices.includes(amount),
      };
    }),
  );

/**
 * Returns the accuracy of the availability.
 * @param method The name of the extraction method.
 * @param readings What the method read, and the correct values.
 */
export const availabilityAccuracy = (method: string, readings: readonly Reading[]): Accuracy =>
  accuracyOf(
    method,
    readings.map(({ page, extraction }) => {
      const { availability } = factsIn(extraction);
      const reported =
        availability && (availabilityOf(availability).inStock ? "InStock" : "OutOfStock");
      return {
        isThere: page.availability !== undefined,
        isReported: reported !== undefined,
        isRight: reported !== undefined && reported === page.availability,
      };
    }),
  );

const factsIn = (
  extraction: Extraction,
): Partial<Extract<Extraction, { facts: object }>["facts"]> =>
  extraction.proof === "product" ? extraction.facts : {};

interface Judged {
  readonly isThere: boolean;
  readonly isReported: boolean;
  readonly isRight: boolean;
}

function accuracyOf(readers: string, judged: readonly Judged[]): Accuracy {
  const right = judged.filter(({ isRight }) => isRight).length;
  const reported = judged.filter(({ isReported }) => isReported).length;
  const there = judged.filter(({ isThere }) => isThere).length;
  const precision = right / reported;
  const recall = right / there;
  return {
    readers,
    precision: rounded(precision),
    recall: rounded(recall),
    f1: rounded((2 * precision * recall) / (precision + recall)),
    right,
    reported,
    true: there,
  };
}

/** Rounds a number to three decimals. */
export const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;
