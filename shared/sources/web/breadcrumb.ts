import { plainText } from "./plain-text.ts";
import { nodesOf, type SchemaNode, textOf } from "./schema-node.ts";

/**
 * Returns the narrowest category of a product: the last step of the page's breadcrumb that is not
 * the product itself. Returns undefined if the page has no breadcrumb with at least two steps, or
 * if the step has no usable name. `title` is the product's title.
 */
export function categoryIn(
  nodes: readonly SchemaNode[],
  title: string | undefined,
): string | undefined {
  const breadcrumb = nodes
    .flatMap((node) => [node, ...nodesOf(node, "breadcrumb")])
    .find(({ types }) => types.includes("breadcrumblist"));
  if (breadcrumb === undefined) return undefined;
  const steps = nodesOf(breadcrumb, "itemlistelement")
    .toSorted((a, b) => positionOf(a) - positionOf(b))
    .map((step) => plainText(textOf(step, "name", "item") ?? ""));
  // A single step is not used, because it may be the product or a category.
  if (steps.length < 2) return undefined;
  const isProduct = title !== undefined && steps.at(-1)?.toLowerCase() === title.toLowerCase();
  const category = isProduct ? steps.at(-2) : steps.at(-1);
  return category === "" || category?.includes("://") === true ? undefined : category;
}

const positionOf = (step: SchemaNode): number => Number(textOf(step, "position") ?? 0);
