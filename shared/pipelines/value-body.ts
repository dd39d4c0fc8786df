import * as v from "valibot";
import { limits } from "../base/limits.ts";
import { lengthOf, visiblePattern, visibleText } from "../base/visible-text.ts";
import { strict } from "./strict-object.ts";

const { valueLengthMax, valueMax, valueMin } = limits.pipeline;

const smallMessage = `A number in 'value' must be 0, or at least ${valueMin} or at most -${valueMin}.`;
const numberMessage = `A number in 'value' must be from -${valueMax} to ${valueMax}.`;

/** Description of the field that a value names. */
export const referenceMeaning = "Field of the step's scraper with whose value the test compares.";

/** Schema of a value that a test compares with. */
export const valueBody = v.union(
  [
    v.pipe(
      v.number(),
      v.minValue(-valueMax, numberMessage),
      v.maxValue(valueMax, numberMessage),
      v.check((value) => value === 0 || Math.abs(value) >= valueMin, smallMessage),
      v.metadata({
        not: { exclusiveMinimum: -valueMin, exclusiveMaximum: valueMin, not: { const: 0 } },
      }),
    ),
    v.boolean(),
    v.pipe(
      v.string(),
      v.check(
        (text) => lengthOf(text) <= valueLengthMax,
        `'value' must have at most ${valueLengthMax} characters. Shorten it.`,
      ),
      visibleText("value"),
      v.metadata({ maxLength: valueLengthMax, pattern: visiblePattern }),
    ),
    strict("'value'", {
      field: v.pipe(
        v.string("'field' must be the name of a field."),
        v.description(referenceMeaning),
      ),
    }),
  ],
  `'value' must be a number, true, false, a string or {"field": the name of a field}.`,
);
