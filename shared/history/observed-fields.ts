import { invalidParam } from "../base/errors.ts";
import { invalidChoiceMessage } from "../base/valid-values.ts";
import type { Platform } from "../platforms/catalog.ts";
import { stepScrapers } from "../scrapers/catalog.ts";
import { typeOfField } from "../scrapers/fields.ts";
import { type ChangeKind, delistedField, isFieldOfKind } from "./change-kinds.ts";

/**
 * Returns the sorted names of the fields that the history of a platform's items can have. If
 * `platform` is undefined, returns the fields of all platforms.
 */
const observedFields = (platform: Platform | undefined): readonly string[] => {
  const fields = Object.values(stepScrapers)
    .filter((scraper) => platform === undefined || scraper.platform === platform)
    .flatMap(({ fieldTypes, derivedFields }) =>
      Object.keys(fieldTypes).filter((field) => !derivedFields.includes(field)),
    );
  return [...new Set(fields)].toSorted();
};

/**
 * Checks that a field name of a request can occur in the history.
 * @param param name of the request's parameter, for the error
 * @param platform platform of the items; if undefined, the fields of every platform are valid
 * @param more further valid names
 * @throws 400 INVALID_PARAM if the history of no item of the platform can have the field
 */
export function checkObservedField(
  param: string,
  field: string,
  {
    platform,
    more = [],
  }: { readonly platform: Platform | undefined; readonly more?: readonly string[] },
): void {
  const valid = [...observedFields(platform), ...more];
  if (valid.includes(field)) return;
  const what = platform === undefined ? `'${param}'` : `'${param}' of ${platform}`;
  throw invalidParam(param, invalidChoiceMessage(what, valid, field));
}

/**
 * Checks that items of a platform can have changes of a kind.
 * @throws 400 INVALID_PARAM if no field of these items can have a change of this kind
 */
export function checkObservedKind(kind: ChangeKind, platform: Platform): void {
  const fields = [...observedFields(platform), delistedField];
  if (fields.some((field) => isFieldOfKind(field, kind))) return;
  throw invalidParam(
    "kind",
    `Items of ${platform} never have changes of the 'kind' ${kind}, because none of their fields can ` +
      "have such a change. Send another 'kind', or omit it.",
  );
}

/**
 * Checks that the values of a filtered field are numbers, if the request has parameters that
 * compare numbers.
 * @param params the parameters that compare numbers, with their values
 * @throws 400 INVALID_PARAM that names the first of these parameters, if the values of the field
 * are not numbers
 */
export function checkNumbers(
  field: string,
  params: Readonly<Record<string, string | number | undefined>>,
): void {
  const type = field === delistedField ? "boolean" : typeOfField(field);
  if (type === "number") return;
  for (const [param, value] of Object.entries(params)) {
    if (value === undefined) continue;
    throw invalidParam(
      param,
      `'${param}' compares numbers, but '${field}' is a ${type}. Send another 'field', or omit '${param}'.`,
    );
  }
}
