import { Parser } from "htmlparser2";
import { textBoundary } from "./text-boundary.ts";
import { type SchemaNode, type SchemaValue, termOf } from "./schema-node.ts";

/** The maximum number of microdata items that are read from one page. Further items are ignored. */
const nodesMax = 5_000;
const depthMax = 8;
const textLengthMax = 2_000;
/**
 * Maximum nesting of elements. Parsing stops at a deeper element, because the parser's time grows
 * with the nesting, and no product page needs more.
 */
const openElementsMax = 2_000;
/** The maximum number of nested items and values. Deeper items and values are ignored. */
const framesMax = 50;

interface MutableNode extends SchemaNode {
  readonly values: Map<string, SchemaValue[]>;
  readonly depth: number;
}

/** An open element that is an item, or whose text is the value of a property. */
interface Frame {
  readonly element: number;
  readonly node: MutableNode | undefined;
  readonly property: { readonly names: readonly string[]; readonly of: MutableNode } | undefined;
  readonly texts: string[];
  length: number;
}

type Attributes = Readonly<Record<string, string>>;

/** Elements with content that no longer applies, such as a former price. */
const struckOut: ReadonlySet<string> = new Set(["del", "s", "strike"]);

/** The attributes that contain the value of a property, by element. */
const valueAttributes: ReadonlyMap<string, readonly string[]> = new Map([
  ["link", ["href"]],
  ["a", ["href"]],
  ["area", ["href"]],
  ["img", ["src", "data-src"]],
  ["source", ["src"]],
  ["embed", ["src"]],
  ["iframe", ["src"]],
  ["object", ["data"]],
  ["data", ["value"]],
  ["meter", ["value"]],
  ["time", ["datetime"]],
]);

interface Reading {
  readonly top: MutableNode[];
  readonly frames: Frame[];
  /** The number of open elements. */
  open: number;
  /** The depth of the outermost open element in `struckOut`; 0 if there is none. */
  struck: number;
  nodesLeft: number;
}

/**
 * Returns the top-level items of a page's microdata in document order. Ignores input beyond the
 * limits `nodesMax`, `depthMax`, `framesMax` and `openElementsMax`. Does not build a document tree.
 */
export function microdataNodes(html: string): SchemaNode[] {
  const reading: Reading = { top: [], frames: [], open: 0, struck: 0, nodesLeft: nodesMax };
  const parser = new Parser({
    onopentag(name, attributes) {
      reading.open += 1;
      if (reading.open > openElementsMax) parser.pause();
      if (reading.struck === 0 && struckOut.has(name)) reading.struck = reading.open;
      markBoundary(reading.frames);
      const names = namesIn(attributes["itemprop"]);
      if (attributes["itemscope"] !== undefined) openScope(names, attributes, reading);
      else if (names.length > 0) openValue(names, attributeValue(name, attributes), reading);
    },
    ontext(text) {
      if (reading.struck > 0) return;
      for (const frame of reading.frames) {
        if (frame.property === undefined || frame.length >= textLengthMax) continue;
        frame.texts.push(text);
        frame.length += text.length;
      }
    },
    onclosetag() {
      closeElement(reading);
      if (reading.struck === reading.open) reading.struck = 0;
      reading.open -= 1;
    },
  });
  parser.end(html);
  return reading.top;
}

/**
 * Opens an item. If the element has property names, the item is also a value of the enclosing item.
 */
function openScope(names: readonly string[], attributes: Attributes, reading: Reading): void {
  reading.nodesLeft -= 1;
  const scope = scopeOf(reading.frames);
  const depth = (scope?.depth ?? -1) + 1;
  if (reading.nodesLeft < 0 || depth > depthMax) return;
  const node = nodeFrom(attributes, depth);
  if (names.length > 0 && scope !== undefined) add(scope, names, node);
  else reading.top.push(node);
  pushFrame({ node, property: undefined }, reading);
}

/**
 * Adds a property value to the enclosing item. If `value` is undefined, opens a frame that collects
 * the element's text as the value.
 */
function openValue(names: readonly string[], value: string | undefined, reading: Reading): void {
  const scope = scopeOf(reading.frames);
  if (scope === undefined || reading.struck > 0) return;
  if (value !== undefined) add(scope, names, value);
  else pushFrame({ node: undefined, property: { names, of: scope } }, reading);
}

/** Opens a frame for the current element, unless `framesMax` frames are open. */
function pushFrame(frame: Pick<Frame, "node" | "property">, { frames, open }: Reading): void {
  if (frames.length < framesMax) frames.push({ ...frame, element: open, texts: [], length: 0 });
}

/**
 * Closes the frame of the current element, if it has one, and adds the element's text as a value.
 */
function closeElement({ frames, open }: Reading): void {
  const frame = frames.at(-1);
  if (frame?.element !== open) {
    markBoundary(frames);
    return;
  }
  frames.pop();
  if (frame.property === undefined) return;
  const text = textIn(frame.texts);
  if (text !== "") add(frame.property.of, frame.property.names, text);
}

/**
 * Adds a text boundary to all open values, so that the texts on both sides of a tag stay separate.
 */
function markBoundary(frames: readonly Frame[]): void {
  for (const { property, texts } of frames) {
    if (property !== undefined && texts.at(-1) !== textBoundary) texts.push(textBoundary);
  }
}

const textIn = (texts: readonly string[]): string =>
  texts
    .join("")
    .slice(0, textLengthMax)
    .split(textBoundary)
    .map((text) => text.replaceAll(/\s+/g, " ").trim())
    .filter((text) => text !== "")
    .join(textBoundary);

const scopeOf = (frames: readonly Frame[]): MutableNode | undefined =>
  frames.findLast((frame) => frame.node !== undefined)?.node;

const nodeFrom = (attributes: Attributes, depth: number): MutableNode => ({
  id: attributes["itemid"],
  types: namesIn(attributes["itemtype"]),
  values: new Map(),
  depth,
});

/** Adds a value to each of the properties. */
function add(node: MutableNode, names: readonly string[], value: SchemaValue): void {
  for (const name of names) {
    const values = node.values.get(name);
    if (values === undefined) node.values.set(name, [value]);
    else values.push(value);
  }
}

/**
 * Returns the value in an element's attributes: `content`, or else the attribute that
 * `valueAttributes` defines. Returns undefined if the element's text is the value.
 */
function attributeValue(name: string, attributes: Attributes): string | undefined {
  if (attributes["content"] !== undefined) return attributes["content"].trim();
  if (name === "meta") return "";
  const names = valueAttributes.get(name) ?? [];
  return names.map((one) => attributes[one]).find((value) => value !== undefined);
}

const namesIn = (words: string | undefined): string[] =>
  (words ?? "")
    .split(/\s+/)
    .filter((word) => word !== "")
    .map(termOf);
