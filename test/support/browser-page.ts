import { runInNewContext } from "node:vm";

/** A fake DOM element with the methods that the documentation page uses. */
export class FakeElement {
  readonly name: string;
  readonly attributes: Record<string, string> = {};
  readonly children: (FakeElement | string)[] = [];
  readonly #listeners: [string, () => void][] = [];
  value = "";
  hidden = false;
  open = false;

  constructor(name: string) {
    this.name = name;
  }

  get textContent(): string {
    return this.children
      .map((child) => (typeof child === "string" ? child : child.textContent))
      .join("");
  }

  set textContent(text: string) {
    this.children.splice(0, Infinity, text);
  }

  setAttribute(name: string, value: string): void {
    this.attributes[name] = value;
  }

  append(...children: (FakeElement | string)[]): void {
    this.children.push(...children);
  }

  addEventListener(type: string, listener: () => void): void {
    this.#listeners.push([type, listener]);
  }

  dispatch(type: string): void {
    for (const [wanted, listener] of this.#listeners) if (wanted === type) listener();
  }

  /** Returns all descendants in document order. */
  all(): FakeElement[] {
    return this.children.flatMap((child) =>
      typeof child === "string" ? [] : [child, ...child.all()],
    );
  }

  find(isWanted: (element: FakeElement) => boolean): FakeElement {
    const found = this.all().find(isWanted);
    if (found === undefined) throw new Error("No element matches the selector");
    return found;
  }
}

interface Browsing {
  readonly url: string;
  /** The JavaScript of the page. */
  readonly script: string;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

/**
 * Runs the script of a page with a fake document, location and `fetch`. There is no storage, so the
 * use of `localStorage` or cookies throws.
 */
export async function openPage({ url, script, fetch }: Browsing): Promise<FakeElement> {
  const root = new FakeElement("main");
  root.setAttribute("id", "docs");
  const document = {
    createElement: (name: string) => new FakeElement(name),
    getElementById: (id: string) =>
      [root, ...root.all()].find(({ attributes }) => attributes["id"] === id) ?? null,
  };
  await runInNewContext(`(async () => {${script}})()`, {
    document,
    location: new URL(url),
    fetch,
    addEventListener: () => {},
    HTMLDetailsElement: FakeElement,
    URL,
    URLSearchParams,
  });
  return root;
}
