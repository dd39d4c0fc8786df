import * as v from "valibot";
import { addRefusedValue } from "../base/shown-value.ts";
import { count } from "../base/wire-schema.ts";

/**
 * The limit above which the item events of a run are held. A run is held if it read at least
 * `minItems` items, and more than `maxChangedPercent` percent of these items changed or were
 * delisted.
 */
export interface Brake {
  readonly maxChangedPercent: number;
  readonly minItems: number;
}

/** A brake in bodies, responses and stored rows. */
export interface BrakeFields {
  readonly max_changed_percent: number;
  readonly min_items: number;
}

/**
 * The brake of new watchlists. In 641 days of prices of four shops, at most 92.3% of the products
 * of a shop changed between two readings (ADR 0031), so this brake holds no normal run.
 */
export const defaultBrake: Brake = { maxChangedPercent: 95, minItems: 50 };

const percentDescription =
  "A run is held if more than this percentage of the items that it read changed or were delisted.";
const itemsDescription = "A run that read fewer items than this is never held.";

const percentMessage = addRefusedValue(
  "'brake.max_changed_percent' must be a number above 0 and at most 100, such as 95.",
);
const itemsMessage = addRefusedValue(
  "'brake.min_items' must be an integer of at least 1, such as 50.",
);

/** Schema of the brake in request bodies. Null turns the brake off. */
export const brakeField = v.optional(
  v.nullable(
    v.pipe(
      v.strictObject(
        {
          max_changed_percent: v.pipe(
            v.number(percentMessage),
            v.gtValue(0, percentMessage),
            v.maxValue(100, percentMessage),
            v.description(percentDescription),
          ),
          min_items: v.pipe(
            v.number(itemsMessage),
            v.integer(itemsMessage),
            v.minValue(1, itemsMessage),
            v.maxValue(Number.MAX_SAFE_INTEGER, itemsMessage),
            v.description(itemsDescription),
          ),
        },
        addRefusedValue(
          "'brake' must be null, which turns it off, or an object with exactly 'max_changed_percent' and 'min_items'.",
        ),
      ),
      v.description(
        "Holds the events of a run in which too many items changed or were delisted, until you release " +
          "or discard the run. Null turns the brake off. Default: " +
          `${defaultBrake.maxChangedPercent} percent of at least ${defaultBrake.minItems} items. ` +
          "A change applies from the next run on.",
      ),
    ),
  ),
);

/** Schema of the brake in responses. */
export const shownBrake = v.pipe(
  v.nullable(
    v.object({
      max_changed_percent: v.pipe(v.number(), v.description(percentDescription)),
      min_items: v.pipe(count, v.description(itemsDescription)),
    }),
  ),
  v.description(
    "Limits above which the brake holds the item events of a run. Null if the brake is off.",
  ),
);

/**
 * Converts a brake from its form in request bodies and stored rows. Null means that the brake is
 * off.
 */
export const brakeIn = (fields: BrakeFields | null): Brake | null =>
  fields === null
    ? null
    : { maxChangedPercent: fields.max_changed_percent, minItems: fields.min_items };

/** Converts a brake to its form in responses and stored rows. Null means that the brake is off. */
export const presentBrake = (brake: Brake | null): BrakeFields | null =>
  brake === null
    ? null
    : { max_changed_percent: brake.maxChangedPercent, min_items: brake.minItems };
