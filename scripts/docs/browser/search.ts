/** Searches the sections of all pages on the page `/docs`. */

/** A section of a page, as `../pages.ts` writes it. */
interface Section {
  readonly page: string;
  readonly heading: string;
  readonly href: string;
  readonly text: string;
}

const shownMax = 20;
const input = document.querySelector<HTMLInputElement>("#search");
const results = document.querySelector<HTMLOListElement>("#results");
const status = document.querySelector<HTMLElement>("#results-status");
let loading: Promise<readonly Section[]> | undefined;

async function load(): Promise<readonly Section[]> {
  const answer = await fetch(input?.dataset["sections"] ?? "");
  if (!answer.ok)
    throw new Error(
      `The search index could not be loaded (HTTP ${answer.status}). Reload the page.`,
    );
  return (await answer.json()) as readonly Section[];
}

/**
 * Returns the sections that contain every word. Sections with all words in their heading come
 * first.
 */
function findSections(sections: readonly Section[], words: readonly string[]): readonly Section[] {
  const has = (text: string): boolean => {
    const lower = text.toLowerCase();
    return words.every((word) => lower.includes(word));
  };
  const inHeading = sections.filter(({ page, heading }) => has(`${page} ${heading}`));
  const inText = sections.filter(
    (section) => !inHeading.includes(section) && has(`${section.heading} ${section.text}`),
  );
  return [...inHeading, ...inText].slice(0, shownMax);
}

function item({ page, heading, href }: Section): HTMLLIElement {
  const link = document.createElement("a");
  link.href = href;
  link.textContent = heading === page ? page : `${page}: ${heading}`;
  const entry = document.createElement("li");
  entry.append(link);
  return entry;
}

function show(sections: readonly Section[], text: string): void {
  results?.replaceChildren(...sections.map(item));
  if (status) status.textContent = text;
}

input?.addEventListener("input", async () => {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) {
    show([], "");
    return;
  }
  try {
    const sections = findSections(await (loading ??= load()), words);
    show(sections, `Sections found: ${sections.length}`);
  } catch {
    // Lets the next input load the index again.
    loading = undefined;
    show([], "The search could not load its index. Check the connection, then type again.");
  }
});
