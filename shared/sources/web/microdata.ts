import { Parser } from "htmlparser2";
import { textBoundary } from "./text-boundary.ts";
import { type SchemaNode, type SchemaValue, termOf } from "./schema-node.ts";

/** Things read of one page, and texts of one property. */
const nodesMax = 5_000;
const depthMax = 8;
const textLengthMax = 2_000;
/** Elements open at once: no page needs more, and the parser's time grows with them. */
const openElementsMax = 2_000;
/** Things and values that are open at once; what is deeper is not read. */
const framesMax = 50;

interface MutableNode extends SchemaNode {
  readonly values: Map<string, SchemaValue[]>;
  readonly depth: number;
}

/** An open element that matters: it opened a thing, or its text is a value. */
interface Frame {
  readonly element: number;
  readonly node: MutableNode | undefined;
  readonly property: { readonly names: readonly string[]; readonly of: MutableNode } | undefined;
  readonly texts: string[];
  length: number;
}

type Attributes = Readonly<Record<string, string>>;

/** What stands in these no longer holds: a price of before. */
const struckOut: ReadonlySet<string> = new Set(["del", "s", "strike"]);

/** The attribute that holds the value, by element. */
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
  /** Elements that are open. */
  open: number;
  /** The outermost open element that is struck out, as `open` counts; 0 for none. */
  struck: number;
  nodesLeft: number;
}

/** The things at the top of a page's microdata, in the order written; no page is built. */
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

/** A thing, which may be the value of a property of the thing around it. */
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

/** A value: of an attribute at once, else of the element's text when it closes. */
function openValue(names: readonly string[], value: string | undefined, reading: Reading): void {
  const scope = scopeOf(reading.frames);
  if (scope === undefined || reading.struck > 0) return;
  if (value !== undefined) add(scope, names, value);
  else pushFrame({ node: undefined, property: { names, of: scope } }, reading);
}

function pushFrame(frame: Pick<Frame, "node" | "property">, { frames, open }: Reading): void {
  if (frames.length < framesMax) frames.push({ ...frame, element: open, texts: [], length: 0 });
}

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

/** Texts on either side of a tag are not one word. */
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

function add(node: MutableNode, names: readonly string[], value: SchemaValue): void {
  for (const name of names) {
    const values = node.values.get(name);
    if (values === undefined) node.values.set(name, [value]);
    else values.push(value);
  }
}

/** `content` counts on every element; else what the kind of element says; else its text. */
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
