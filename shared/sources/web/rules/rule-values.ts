import { selectAll } from "css-select";
import type { AnyNode, Document, Element } from "domhandler";
import { DomUtils } from "htmlparser2";
import { findAssignedValue, parseValue } from "../state/embedded-values.ts";
import { ruleDocument } from "./rule-document.ts";
import type { ExtractRules, Rule } from "./rule.ts";
import type { RuleField } from "./rule-texts.ts";

/** The result of a rule on a page. */
export interface RuleValue {
  readonly field: RuleField;
  readonly rule: Rule;
  /** The selected value; undefined if the rule selected none. */
  readonly value: string | undefined;
  /** The number of different values. If there are several, none of them is used. */
  readonly different: number;
}

/** Maximum number of elements whose values are compared. Further elements are ignored. */
const elementsMax = 50;
const valueLengthMax = 2_000;

/** A page, parsed when a rule needs it. */
interface RulePage {
  readonly html: string;
  document: Document | undefined;
}

/**
 * Applies the deployer's rules to a page. For each field, tries the rules in order, up to the first
 * rule that selects exactly one value. Returns an entry for each rule that was tried.
 * @param isComplete if true, tries every rule
 */
export function ruleValues(
  html: string,
  rules: ExtractRules,
  { isComplete = false }: { readonly isComplete?: boolean } = {},
): RuleValue[] {
  const page: RulePage = { html, document: undefined };
  const tried: RuleValue[] = [];
  for (const [field, fieldRules] of entriesOf(rules)) {
    for (const rule of fieldRules) {
      const values = new Set(valuesOf(rule, page));
      const [value] = values;
      const isFound = values.size === 1 && value !== undefined;
      tried.push({ field, rule, value: isFound ? value : undefined, different: values.size });
      if (isFound && !isComplete) break;
    }
  }
  return tried;
}

const entriesOf = (rules: ExtractRules): [RuleField, readonly Rule[]][] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- entries lose their types
  Object.entries(rules) as [RuleField, readonly Rule[]][];

/** Returns the strings that a rule selects, without empty ones. */
function valuesOf(rule: Rule, page: RulePage): string[] {
  return textsOf(rule, page)
    .map((text) => text.replaceAll(/\s+/g, " ").trim())
    .filter((text) => text !== "" && text.length <= valueLengthMax);
}

/** Returns the texts that a rule selects, as the page contains them. */
function textsOf(rule: Rule, page: RulePage): string[] {
  switch (rule.kind) {
    case "constant":
      return [rule.value];
    case "global":
      return textsAt(findAssignedValue(page.html, rule.name), rule.pointer);
    case "script":
      return elementsOf(rule.matches, page).flatMap((element) =>
        textsAt(parseValue(DomUtils.textContent(element)), rule.pointer),
      );
    case "element":
      return elementsOf(rule.matches, page).map((element) =>
        rule.attribute === undefined
          ? DomUtils.innerText(element)
          : (element.attribs[rule.attribute] ?? ""),
      );
    default:
      return rule satisfies never;
  }
}

/**
 * Returns at most `elementsMax` elements that match a selector. Parses the page at the first call.
 */
function elementsOf(matches: (element: Element) => boolean, page: RulePage): Element[] {
  page.document ??= ruleDocument(page.html);
  return selectAll<AnyNode, Element>(matches, page.document).slice(0, elementsMax);
}

/**
 * Returns the value at a JSON pointer as text, in an array; an empty array if the value is missing,
 * null, an object or an array.
 */
function textsAt(value: unknown, pointer: readonly string[]): string[] {
  let at: unknown = value;
  for (const step of pointer) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return [];
    at = Object.entries(at).find(([key]) => key === step)?.[1];
  }
  return ["string", "number", "boolean"].includes(typeof at) ? [String(at)] : [];
}
