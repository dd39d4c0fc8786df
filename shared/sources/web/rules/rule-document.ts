import type { Document } from "domhandler";
import { DomHandler, Parser } from "htmlparser2";

/**
 * Maximum number of elements. Later elements are ignored, because some selectors compare each
 * element with all before it.
 */
const elementsMax = 20_000;
/**
 * Maximum nesting depth. Deeper elements are ignored, because the text of an element is read by
 * recursion.
 */
const depthMax = 200;

/**
 * Parses a page to a document for CSS selectors. Ignores the content after the first element that
 * exceeds the maximum nesting depth or the maximum number of elements.
 */
export function ruleDocument(html: string): Document {
  const handler = new BoundedHandler();
  const parser = new Parser(handler);
  handler.stop = () => parser.pause();
  parser.end(html);
  return handler.root;
}

class BoundedHandler extends DomHandler {
  stop = (): void => {};
  #elements = 0;

  override onopentag(name: string, attributes: Record<string, string>): void {
    super.onopentag(name, attributes);
    this.#elements += 1;
    if (this.#elements >= elementsMax || this.tagStack.length > depthMax) this.stop();
  }
}
