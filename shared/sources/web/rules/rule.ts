import { compile } from "css-select";
import type { AnyNode, Element } from "domhandler";
import { type RuleField, ruleFields, type RuleTexts } from "./rule-texts.ts";

/** A rule of the deployer: the place of a field in the pages of a shop. */
export type Rule = { readonly text: string } & (
  | {
      readonly kind: "element";
      readonly matches: (element: Element) => boolean;
      /** The attribute with the value; undefined for the text of the element. */
      readonly attribute: string | undefined;
    }
  | {
      readonly kind: "script";
      readonly matches: (element: Element) => boolean;
      readonly pointer: readonly string[];
    }
  | { readonly kind: "global"; readonly name: string; readonly pointer: readonly string[] }
  | { readonly kind: "constant"; readonly value: string }
);

/** For each field, its rules in the order in which they are tried. */
export type ExtractRules = Readonly<Partial<Record<RuleField, readonly Rule[]>>>;

/**
 * Parses the rules of a configuration.
 * @throws Error that describes the mistake in a rule
 */
export const parseRules = (texts: RuleTexts): ExtractRules =>
  Object.fromEntries(
    ruleFields.map((field) => [field, (texts[field] ?? []).map((text) => parseRule(text))]),
  );

/**
 * Maximum number of parts of a selector. With more parts, pages with many nested elements take
 * long.
 */
const partsMax = 12;
const pointerForm = /^(?:\/(?:[^/~]|~[01])*)*$/;
const globalForm = /^window\.([\w$]+(?:\.[\w$]+)*)$/;

/**
 * Parses a rule. The forms are `<selector>`, `<selector> @<attribute>`, `<selector> => <JSON
 * pointer>`, `window.<name> => <JSON pointer>` and `= <value>`.
 * @throws Error that describes the mistake in the rule
 */
export function parseRule(text: string): Rule {
  const rule = text.trim();
  if (rule.startsWith("=")) return { text, kind: "constant", value: constantOf(rule) };
  const [place = "", pointer, ...others] = rule.split(/\s*=>\s*/);
  if (others.length > 0) throw new Error('must contain "=>" at most once');
  if (pointer !== undefined) {
    const steps = pointerSteps(pointer);
    const name = globalForm.exec(place)?.[1];
    if (name !== undefined) return { text, kind: "global", name, pointer: steps };
    return { text, kind: "script", matches: selectorOf(place), pointer: steps };
  }
  if (place.startsWith("window.")) {
    throw new Error(
      "must have a JSON pointer after the name, such as window.state => /product/price",
    );
  }
  const [, selector = place, attribute] = /^(.*\S)\s*@([\w:.-]+)$/s.exec(place) ?? [];
  return { text, kind: "element", matches: selectorOf(selector), attribute };
}

/**
 * Returns the value of a rule that begins with "=".
 * @throws Error if the value is empty
 */
function constantOf(rule: string): string {
  const value = rule.slice(1).trim();
  if (value === "") throw new Error('must have a value after "=", such as = USD');
  return value;
}

/** Returns the steps of a JSON pointer (RFC 6901). */
function pointerSteps(pointer: string): string[] {
  if (!pointerForm.test(pointer)) {
    throw new Error(
      `must have a valid JSON pointer (got "${pointer}"), such as /product/offers/0/price`,
    );
  }
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/**
 * Compiles a CSS selector.
 * @throws Error if the selector is empty, invalid or too long
 */
function selectorOf(selector: string): (element: Element) => boolean {
  if (selector.trim() === "") throw new Error("must begin with a CSS selector, such as .price");
  const count = selector.split(/[\s>+~,]+/).length;
  if (count > partsMax) {
    throw new Error(
      `must have a selector with at most ${partsMax} parts (got ${count}). Use a shorter selector`,
    );
  }
  try {
    return compile<AnyNode, Element>(selector);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`must have a valid CSS selector (got "${selector}": ${reason})`, {
      cause: error,
    });
  }
}
