type Child = Node | string;

/** An element with attributes and children; text is never read as HTML. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Markdown as the document uses it: paragraphs, tables, code and bold. */
export function prose(text: string): HTMLElement[] {
  return text
    .split("\n\n")
    .map((block) =>
      block.startsWith("|") ? table(block.split("\n")) : element("p", {}, ...inline(block)),
    );
}

/** A table whose second line parts the head from the rows. */
function table([head = "", , ...rows]: readonly string[]): HTMLElement {
  const line = (text: string, cell: "th" | "td"): HTMLElement => {
    const cells = text.split("|").slice(1, -1);
    return element("tr", {}, ...cells.map((one) => element(cell, {}, ...inline(one.trim()))));
  };
  return element(
    "table",
    {},
    element("thead", {}, line(head, "th")),
    element("tbody", {}, ...rows.map((row) => line(row, "td"))),
  );
}

export function inline(text: string): Child[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith("`")) return element("code", {}, part.slice(1, -1));
    return part.startsWith("**") ? element("b", {}, part.slice(2, -2)) : part;
  });
}
